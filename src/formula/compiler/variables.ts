import { PyError } from "../runtime/errors.ts";
import type { Evaluate, Frame } from "./frame.ts";
import type { Scope, Variable } from "./scope.ts";
import type { PyValue } from "../runtime/values.ts";

/** Assigns a value to a variable; undefined unsets it. */
export type Assign = (frame: Frame, value: PyValue | undefined) => void;

/** Compiles a read of a variable; `fallback` is used for names that are unassigned in a class body. */
export function readVariable(name: string, { depth, slot, scope }: Variable, fallback?: Evaluate): Evaluate {
  const unboundError = (frame: Frame): PyValue => {
    if (scope.kind === "class" && fallback) return fallback(frame);
    throw depth === 0
      ? new PyError("UnboundLocalError", `cannot access local variable '${name}' where it has no value`)
      : new PyError("NameError", `cannot access free variable '${name}' where it has no value`);
  };
  // None is a value, so `??` does not work here.
  if (depth === 0) {
    return (frame) => {
      const value = frame.slots[slot];
      return value === undefined ? unboundError(frame) : value;
    };
  }
  if (depth === 1) {
    return (frame) => {
      const value = frame.parent?.slots[slot];
      return value === undefined ? unboundError(frame) : value;
    };
  }
  return (frame) => {
    const value = frameAt(frame, depth).slots[slot];
    return value === undefined ? unboundError(frame) : value;
  };
}

/** Compiles an assignment to a variable. */
export function writeVariable({ depth, slot }: Variable): Assign {
  if (depth === 0) {
    return (frame, value) => {
      frame.slots[slot] = value;
    };
  }
  return (frame, value) => {
    frameAt(frame, depth).slots[slot] = value;
  };
}

/** Returns the frame `depth` levels outwards. */
export function frameAt(frame: Frame, depth: number): Frame {
  let at = frame;
  for (let level = 0; level < depth; level++) at = at.parent ?? at;
  return at;
}

/** Returns the depth of the nearest enclosing class body; undefined outside of methods. */
export function classDepth(scope: Scope): number | undefined {
  let depth = 0;
  for (let at: Scope | undefined = scope; at; at = at.outer, depth++) {
    if (at.kind === "class") return depth;
  }
  return undefined;
}

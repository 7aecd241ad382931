import { unreachable } from "../../lib/assert.ts";
import type { Target } from "../parser/ast.ts";
import { deleteAttribute, writeAttribute } from "../runtime/classes/attributes.ts";
import type { Compiler } from "./compiler.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import type { Frame } from "./frame.ts";
import { deleteIndex, writeIndex } from "../runtime/collections/slices.ts";
import { drain, itemsOf, iterate, PyList, PyObject, PySequence, type PyValue, typeName } from "../runtime/values.ts";

/** Assigns a value to a target. */
export type Store = (frame: Frame, value: PyValue) => void;

export function compileTarget(compiler: Compiler, target: Target): Store {
  switch (target.kind) {
    case "name":
      return compiler.compileAssign(target.name);
    case "attribute": {
      const object = compiler.compile(target.object);
      const { name } = target;
      return (frame, value) => writeAttribute(object(frame), name, value);
    }
    case "index": {
      const object = compiler.compile(target.object);
      const index = compiler.compile(target.index);
      return (frame, value) => writeIndex(object(frame), index(frame), value);
    }
    case "sequence": {
      const stores = target.items.map((item) => compileTarget(compiler, item));
      const { star } = target;
      return (frame, value) => {
        const values = star === null ? unpackExactly(value, stores.length) : unpackStarred(value, stores.length, star);
        for (const [index, store] of stores.entries()) store(frame, values[index] ?? null);
      };
    }
    default:
      return unreachable(target);
  }
}

/** Returns the elements of a value that must have exactly `count`. Throws PyError TypeError or ValueError. */
function unpackExactly(value: PyValue, count: number): readonly PyValue[] {
  if (value instanceof PySequence) {
    const items = value.items();
    if (items.length === count) return items;
  }
  requireUnpackable(value);
  const iterator = iterate(value);
  const items: PyValue[] = [];
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    if (items.length === count) throw valueError(`too many values to unpack (expected ${count})`);
    items.push(next.value);
  }
  if (items.length < count) throw valueError(`not enough values to unpack (expected ${count}, got ${items.length})`);
  return items;
}

/** Returns one value per target; the starred target gets a list of the remaining elements. */
function unpackStarred(value: PyValue, count: number, star: number): PyValue[] {
  requireUnpackable(value);
  const items = drain(itemsOf(value)[Symbol.iterator]());
  const minCount = count - 1;
  if (items.length < minCount) {
    throw valueError(`not enough values to unpack (expected at least ${minCount}, got ${items.length})`);
  }
  const end = items.length - (minCount - star);
  return [...items.slice(0, star), new PyList(items.slice(star, end)), ...items.slice(end)];
}

function requireUnpackable(value: PyValue): void {
  if (typeof value === "string" || (value instanceof PyObject && value.iterate())) return;
  throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
}

/** Compiles `del target`. */
export function compileDelete(compiler: Compiler, target: Target): (frame: Frame) => void {
  switch (target.kind) {
    case "name": {
      const read = compiler.compileName(target.name);
      const assign = compiler.compileAssign(target.name);
      return (frame) => {
        // Throws when the variable is unset.
        read(frame);
        assign(frame, undefined);
      };
    }
    case "attribute": {
      const object = compiler.compile(target.object);
      const { name } = target;
      return (frame) => deleteAttribute(object(frame), name);
    }
    case "index": {
      const object = compiler.compile(target.object);
      const index = compiler.compile(target.index);
      return (frame) => deleteIndex(object(frame), index(frame));
    }
    case "sequence": {
      if (target.star !== null) throw new PyError("SyntaxError", "cannot delete starred");
      const deletes = target.items.map((item) => compileDelete(compiler, item));
      return (frame) => {
        for (const one of deletes) one(frame);
      };
    }
    default:
      return unreachable(target);
  }
}

import { unreachable } from "../lib/assert.ts";
import type { Pattern, Statement } from "./ast.ts";
import { findAttribute } from "./attributes.ts";
import { CLASSES } from "./classes.ts";
import type { Compiler } from "./compiler.ts";
import { PyDict } from "./dicts.ts";
import { PyError, typeError } from "./errors.ts";
import { type Execute, type Frame, NEXT } from "./frame.ts";
import { PyType } from "./types.ts";
import { pyEquals, PyList, PySequence, PyTuple, type PyValue, truth } from "./values.ts";

/** Tells whether a value fits, and sets the names that the pattern captures. */
type Fits = (frame: Frame, value: PyValue) => boolean;

/** `match`: the first case that fits and whose guard holds is executed. */
export function compileMatch(compiler: Compiler, statement: Statement & { kind: "match" }): Execute {
  const find = compileCases(compiler, statement);
  const bodies = statement.cases.map(({ body }) => compiler.compileBlock(body));
  return (frame) => bodies[find(frame)]?.(frame) ?? NEXT;
}

/** Gives the place of the first case that fits and whose guard holds, with its names set; -1 if there is none. */
export function compileCases(
  compiler: Compiler,
  { subject, cases }: Statement & { kind: "match" },
): (frame: Frame) => number {
  const value = compiler.compile(subject);
  const compiled = cases.map(({ pattern, guard }) => ({
    fits: compilePattern(compiler, pattern),
    guard: guard && compiler.compile(guard),
  }));
  return (frame) => {
    const given = value(frame);
    return compiled.findIndex(({ fits, guard }) => fits(frame, given) && (!guard || truth(guard(frame))));
  };
}

function compilePattern(compiler: Compiler, pattern: Pattern): Fits {
  switch (pattern.kind) {
    case "capture": {
      if (pattern.name === null) return () => true;
      const assign = compiler.compileAssign(pattern.name);
      return (frame, value) => {
        assign(frame, value);
        return true;
      };
    }
    case "value": {
      const wanted = compiler.compile(pattern.value);
      return pattern.bySame
        ? (frame, value) => value === wanted(frame)
        : (frame, value) => pyEquals(value, wanted(frame));
    }
    case "sequence":
      return compileSequence(compiler, pattern);
    case "mapping":
      return compileMapping(compiler, pattern);
    case "class":
      return compileClass(compiler, pattern);
    case "or": {
      const options = pattern.options.map((option) => compilePattern(compiler, option));
      return (frame, value) => options.some((fits) => fits(frame, value));
    }
    case "as": {
      const fits = compilePattern(compiler, pattern.pattern);
      const assign = compiler.compileAssign(pattern.name);
      return (frame, value) => {
        if (!fits(frame, value)) return false;
        assign(frame, value);
        return true;
      };
    }
    default:
      return unreachable(pattern);
  }
}

function compileSequence(compiler: Compiler, { items, star }: Pattern & { kind: "sequence" }): Fits {
  const parts = items.map((item) => compilePattern(compiler, item));
  return (frame, value) => {
    if (!(value instanceof PySequence)) return false;
    const values = value.items();
    const least = star === null ? parts.length : parts.length - 1;
    if (values.length < least || (star === null && values.length > least)) return false;
    const extra = values.length - least;
    return parts.every((fits, index) => {
      if (star === null || index < star) return fits(frame, values[index] ?? null);
      if (index === star) return fits(frame, new PyList(values.slice(star, star + extra)));
      return fits(frame, values[index + extra - 1] ?? null);
    });
  };
}

function compileMapping(compiler: Compiler, { entries, rest }: Pattern & { kind: "mapping" }): Fits {
  const parts = entries.map(({ key, pattern }) => ({
    key: compiler.compile(key),
    fits: compilePattern(compiler, pattern),
  }));
  const assign = rest === null ? undefined : compiler.compileAssign(rest);
  return (frame, value) => {
    if (!(value instanceof PyDict)) return false;
    const left = assign && PyDict.of(value.entries());
    for (const { key, fits } of parts) {
      const name = key(frame);
      const item = value.get(name);
      if (item === undefined || !fits(frame, item)) return false;
      left?.delete(name);
    }
    if (left) assign?.(frame, left);
    return true;
  };
}

/** Classes of Python whose only positional pattern is the value itself. */
const WHOLE: ReadonlySet<unknown> = new Set([
  CLASSES.bool,
  CLASSES.bytes,
  CLASSES.dict,
  CLASSES.float,
  CLASSES.frozenset,
  CLASSES.int,
  CLASSES.list,
  CLASSES.set,
  CLASSES.str,
  CLASSES.tuple,
]);

function compileClass(compiler: Compiler, { cls, positional, keywords }: Pattern & { kind: "class" }): Fits {
  const type = compiler.compile(cls);
  const byPlace = positional.map((pattern) => compilePattern(compiler, pattern));
  const byName = keywords.map(({ name, pattern }) => ({ name, fits: compilePattern(compiler, pattern) }));
  return (frame, value) => {
    const wanted = type(frame);
    if (!(wanted instanceof PyType)) throw typeError("called match pattern must be a class");
    if (!wanted.isInstance(value)) return false;
    if (WHOLE.has(wanted) && byPlace.length === 1) {
      if (!byPlace[0]?.(frame, value)) return false;
    } else {
      const names = byPlace.length > 0 ? placesOf(wanted, byPlace.length) : [];
      if (!byPlace.every((fits, index) => fitsAttribute(frame, value, names[index] ?? "", fits))) return false;
    }
    return byName.every(({ name, fits }) => fitsAttribute(frame, value, name, fits));
  };
}

/** The attributes that positional patterns stand for. */
function placesOf(type: PyType, count: number): string[] {
  const names = type.attribute("__match_args__");
  const list = names instanceof PyTuple ? names.items() : [];
  if (list.length < count) {
    throw typeError(`${type.name}() accepts ${list.length} positional sub-patterns (${count} given)`);
  }
  return list.map((name) => (typeof name === "string" ? name : ""));
}

function fitsAttribute(frame: Frame, value: PyValue, name: string, fits: Fits): boolean {
  try {
    const own = findAttribute(value, name);
    return own !== undefined && fits(frame, own);
  } catch (error) {
    if (error instanceof PyError && error.typeName === "AttributeError") return false;
    throw error;
  }
}

import { unreachable } from "../../lib/assert.ts";
import type { Pattern, Statement } from "../parser/ast.ts";
import { findAttribute } from "../runtime/classes/attributes.ts";
import { CLASSES } from "../runtime/classes/classes.ts";
import type { Compiler } from "./compiler.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError } from "../runtime/errors.ts";
import { type Execute, type Frame, NEXT } from "./frame.ts";
import { PyType } from "../runtime/classes/types.ts";
import { pyEquals, PyList, PySequence, PyTuple, type PyValue, isTruthy } from "../runtime/values.ts";

/** Returns whether a value matches, and assigns the names that the pattern captures. */
type Matches = (frame: Frame, value: PyValue) => boolean;

/** Compiles `match`, which executes the first case whose pattern matches and whose guard holds. */
export function compileMatch(compiler: Compiler, statement: Statement & { kind: "match" }): Execute {
  const select = compileCases(compiler, statement, (block) => compiler.compileBlock(block));
  return (frame) => select(frame)?.(frame) ?? NEXT;
}

/**
 * Returns a closure that assigns the names of the first case whose pattern matches and whose guard holds, and returns
 * its compiled block; undefined if no case matches.
 */
export function compileCases<T>(
  compiler: Compiler,
  { subject, cases }: Statement & { kind: "match" },
  compileBlock: (block: readonly Statement[]) => T,
): (frame: Frame) => T | undefined {
  const value = compiler.compile(subject);
  const heads = cases.map(({ pattern, guard }) => ({
    matches: compilePattern(compiler, pattern),
    guard: guard && compiler.compile(guard),
  }));
  const blocks = cases.map(({ body }) => compileBlock(body));
  return (frame) => {
    const subjectValue = value(frame);
    const index = heads.findIndex(
      ({ matches, guard }) => matches(frame, subjectValue) && (!guard || isTruthy(guard(frame))),
    );
    return blocks[index];
  };
}

function compilePattern(compiler: Compiler, pattern: Pattern): Matches {
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
      const expected = compiler.compile(pattern.value);
      return pattern.byIdentity
        ? (frame, value) => value === expected(frame)
        : (frame, value) => pyEquals(value, expected(frame));
    }
    case "sequence":
      return compileSequencePattern(compiler, pattern);
    case "mapping":
      return compileMappingPattern(compiler, pattern);
    case "class":
      return compileClassPattern(compiler, pattern);
    case "or": {
      const options = pattern.options.map((option) => compilePattern(compiler, option));
      return (frame, value) => options.some((matches) => matches(frame, value));
    }
    case "as": {
      const matches = compilePattern(compiler, pattern.pattern);
      const assign = compiler.compileAssign(pattern.name);
      return (frame, value) => {
        if (!matches(frame, value)) return false;
        assign(frame, value);
        return true;
      };
    }
    default:
      return unreachable(pattern);
  }
}

function compileSequencePattern(compiler: Compiler, { items, star }: Pattern & { kind: "sequence" }): Matches {
  const parts = items.map((item) => compilePattern(compiler, item));
  return (frame, value) => {
    if (!(value instanceof PySequence)) return false;
    const values = value.items();
    const minLength = star === null ? parts.length : parts.length - 1;
    if (values.length < minLength || (star === null && values.length > minLength)) return false;
    const extra = values.length - minLength;
    return parts.every((matches, index) => {
      if (star === null || index < star) return matches(frame, values[index] ?? null);
      if (index === star) return matches(frame, new PyList(values.slice(star, star + extra)));
      return matches(frame, values[index + extra - 1] ?? null);
    });
  };
}

function compileMappingPattern(compiler: Compiler, { entries, rest }: Pattern & { kind: "mapping" }): Matches {
  const parts = entries.map(({ key, pattern }) => ({
    key: compiler.compile(key),
    matches: compilePattern(compiler, pattern),
  }));
  const assign = rest === null ? undefined : compiler.compileAssign(rest);
  return (frame, value) => {
    if (!(value instanceof PyDict)) return false;
    const left = assign && PyDict.of(value.entries());
    for (const { key, matches } of parts) {
      const name = key(frame);
      const item = value.get(name);
      if (item === undefined || !matches(frame, item)) return false;
      left?.delete(name);
    }
    if (left) assign?.(frame, left);
    return true;
  };
}

/** Classes whose only positional pattern matches the value itself. */
const SELF_MATCHING_CLASSES: ReadonlySet<unknown> = new Set([
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

function compileClassPattern(compiler: Compiler, { cls, positional, keywords }: Pattern & { kind: "class" }): Matches {
  const type = compiler.compile(cls);
  const positionalPatterns = positional.map((pattern) => compilePattern(compiler, pattern));
  const keywordPatterns = keywords.map(({ name, pattern }) => ({ name, matches: compilePattern(compiler, pattern) }));
  return (frame, value) => {
    const expectedClass = type(frame);
    if (!(expectedClass instanceof PyType)) throw typeError("called match pattern must be a class");
    if (!expectedClass.isInstance(value)) return false;
    if (SELF_MATCHING_CLASSES.has(expectedClass) && positionalPatterns.length === 1) {
      if (!positionalPatterns[0]?.(frame, value)) return false;
    } else {
      const names = positionalPatterns.length > 0 ? matchArgsOf(expectedClass, positionalPatterns.length) : [];
      if (!positionalPatterns.every((matches, index) => attributeMatches(frame, value, names[index] ?? "", matches)))
        return false;
    }
    return keywordPatterns.every(({ name, matches }) => attributeMatches(frame, value, name, matches));
  };
}

/** Returns the attribute names of positional patterns (`__match_args__`). */
function matchArgsOf(type: PyType, count: number): string[] {
  const names = type.attribute("__match_args__");
  const list = names instanceof PyTuple ? names.items() : [];
  if (list.length < count) {
    throw typeError(`${type.name}() accepts ${list.length} positional sub-patterns (${count} given)`);
  }
  return list.map((name) => (typeof name === "string" ? name : ""));
}

function attributeMatches(frame: Frame, value: PyValue, name: string, matches: Matches): boolean {
  try {
    const attribute = findAttribute(value, name);
    return attribute !== undefined && matches(frame, attribute);
  } catch (error) {
    if (error instanceof PyError && error.typeName === "AttributeError") return false;
    throw error;
  }
}

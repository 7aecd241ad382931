import type { Call, Expression, KeywordArgument } from "../parser/ast.ts";
import { readAttribute, callMethod } from "../runtime/classes/attributes.ts";
import { callValue } from "../runtime/calls.ts";
import { PyClass } from "../runtime/classes/classes.ts";
import type { Compiler } from "./compiler.ts";
import { compileEval, isEval } from "./compile-eval.ts";
import { compileListItems } from "./compile-displays.ts";
import { keywordEntries } from "../runtime/collections/dicts.ts";
import { PyError, typeError } from "../runtime/errors.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { LAZY_ARGUMENTS, Thunk } from "../functions/lazy-arguments.ts";
import { NO_KEYWORDS, PySuper } from "../runtime/classes/instances.ts";
import type { Keywords, PyValue } from "../runtime/values.ts";
import { classDepth, frameAt } from "./variables.ts";

/** Compiles `callee(…)`. */
export function compileCall(compiler: Compiler, node: Call): Evaluate {
  const { callee, positional, keywords } = node;
  if (callee.kind === "name" && callee.name === "super" && positional.length === 0 && compiler.isGlobal("super")) {
    return compileSuper(compiler);
  }
  if (isEval(compiler, node)) return compileEval(compiler, node);
  const named = compileKeywords(compiler, keywords);
  const lazy = lazyArguments(compiler, node);
  if (callee.kind === "attribute" && !(callee.object.kind === "name" && callee.object.name === "rec")) {
    const object = compiler.compile(callee.object);
    const args = compileListItems(compiler, positional);
    const { name } = callee;
    return (frame) => {
      const self = object(frame);
      if (typeof self === "string") return callMethod(self, name, args(frame), named(frame));
      const method = readAttribute(self, name);
      return callValue(method, args(frame), named(frame));
    };
  }
  const called = compiler.compile(callee);
  const [first, second] = positional;
  if (keywords.length === 0 && !lazy && first && !second && first.kind !== "starred") {
    const argument = compiler.compile(first);
    return (frame) => callValue(called(frame), [argument(frame)], NO_KEYWORDS);
  }
  const isPeek = callee.kind === "name" && callee.name === "PEEK";
  const args = lazy
    ? compileLazyArguments(compiler, positional, { lazy, isPeek })
    : compileListItems(compiler, positional);
  return (frame) => callValue(called(frame), args(frame), named(frame));
}

/** Returns the indexes of the arguments that a function evaluates lazily; undefined for all other functions. */
function lazyArguments(compiler: Compiler, { callee, positional }: Call): readonly number[] | undefined {
  if (callee.kind !== "name" || !compiler.isGlobal(callee.name)) return undefined;
  return positional.some((item) => item.kind === "starred") ? undefined : LAZY_ARGUMENTS.get(callee.name);
}

function compileLazyArguments(
  compiler: Compiler,
  positional: readonly Expression[],
  { lazy, isPeek }: { lazy: readonly number[]; isPeek: boolean },
): (frame: Frame) => PyValue[] {
  const items = positional.map((argument, index) => {
    const evaluate = isPeek
      ? compiler.reads.withoutTracking(() => compiler.compile(argument))
      : compiler.compile(argument);
    return lazy.includes(index) ? (frame: Frame) => new Thunk(() => evaluate(frame)) : evaluate;
  });
  return (frame) => items.map((item) => item(frame));
}

function compileKeywords(compiler: Compiler, keywords: Call["keywords"]): (frame: Frame) => Keywords {
  if (keywords.length === 0) return () => NO_KEYWORDS;
  for (const { name } of keywords) if (name !== null) compiler.reads.addMention(name);
  const named = keywords.map((keyword) => ({ name: keyword.name, value: compileKeyword(compiler, keyword) }));
  // Without `**` arguments, duplicates are found at compile time and calls need no check.
  const names = new Set(keywords.map(({ name }) => name));
  if (!names.has(null) && names.size === keywords.length) {
    return (frame) => {
      const keywordArguments = new Map<string, PyValue>();
      for (const { name, value } of named) if (name !== null) keywordArguments.set(name, value(frame));
      return keywordArguments;
    };
  }
  return (frame) => {
    const keywordArguments = new Map<string, PyValue>();
    for (const { name, value } of named) {
      const entries = name === null ? keywordEntries(value(frame)) : [[name, value(frame)] as const];
      for (const [key, item] of entries) {
        if (keywordArguments.has(key)) throw typeError(`got multiple values for keyword argument '${key}'`);
        keywordArguments.set(key, item);
      }
    }
    return keywordArguments;
  };
}

const ORDER_KEYWORDS: ReadonlySet<string> = new Set(["order_by", "sort_by"]);

function compileKeyword(compiler: Compiler, { name, value }: KeywordArgument): Evaluate {
  const compile = () => compiler.compile(value);
  return name !== null && ORDER_KEYWORDS.has(name) ? compiler.reads.inOrderArgument(compile) : compile();
}

/**
 * `super()` without arguments: the class is the enclosing method's class, the instance is the method's first argument.
 */
function compileSuper(compiler: Compiler): Evaluate {
  const depth = classDepth(compiler.scope);
  if (depth === undefined) {
    return () => {
      throw new PyError("RuntimeError", "super(): no arguments");
    };
  }
  return (frame) => {
    const cls = frameAt(frame, depth).result;
    const self = frameAt(frame, depth - 1).slots[0];
    if (!(cls instanceof PyClass) || self === undefined) throw new PyError("RuntimeError", "super(): no arguments");
    return new PySuper(cls, self);
  };
}

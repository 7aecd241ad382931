import type { FunctionBody, Statement } from "./ast.ts";
import { callWith } from "./calls.ts";
import type { Compiler } from "./compiler.ts";
import { compileSteps } from "./compile-generators.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { PyGenerator } from "./generators.ts";
import { PyUserFunction } from "./user-functions.ts";

/** What a function computes when its variables are set. */
export function compileResult(compiler: Compiler, name: string, fn: FunctionBody): Evaluate {
  if (fn.yields) {
    const steps = compileSteps(compiler, fn.body);
    return (frame) => new PyGenerator(name, runSteps(steps, frame));
  }
  const [only] = fn.body;
  if (fn.body.length === 1 && only?.kind === "return") return compiler.compile(only.value);
  const block = compiler.compileBlock(fn.body);
  return (frame) => {
    block(frame);
    return frame.result;
  };
}

function* runSteps(steps: ReturnType<typeof compileSteps>, frame: Frame) {
  yield* steps(frame);
  return frame.result;
}

/** `lambda` or `def`: gives a function each time it is computed, with defaults as they are then. */
export function compileFunction(
  compiler: Compiler,
  name: string,
  fn: FunctionBody,
  doc: string | null = null,
): Evaluate {
  const { names, positionalOnly, keywordOnly, rest, keywords } = fn.parameters;
  const inner = compiler.within("function", fn.locals);
  const result = compileResult(inner, name, fn);
  const standards = names.flatMap(({ standard }) => (standard ? [compiler.compile(standard)] : []));
  const byKeyword = keywordOnly.map((parameter) => ({
    name: parameter.name,
    standard: parameter.standard && compiler.compile(parameter.standard),
  }));
  const parameterNames = names.map((parameter) => parameter.name);
  return (frame) => {
    const parameters = {
      names: parameterNames,
      positionalOnly,
      standards: standards.map((standard) => standard(frame)),
      keywordOnly: byKeyword.map(({ name: own, standard }) => ({ name: own, standard: standard?.(frame) })),
      hasRest: rest !== null,
      hasKeywords: keywords !== null,
    };
    return new PyUserFunction(name, doc, parameters, (slots) => result(frame.inner(slots)));
  };
}

/** A `def` with its decorators, of which the nearest comes first. */
export function compileDefinition(compiler: Compiler, statement: Statement & { kind: "function" }): Evaluate {
  const make = compileFunction(compiler, statement.name, statement.fn, statement.doc);
  const decorators = compiler.compileAll(statement.decorators);
  if (decorators.length === 0) return make;
  return (frame) => {
    const callables = decorators.map((decorator) => decorator(frame));
    return callables.reduceRight((value, decorator) => callWith(decorator, value), make(frame));
  };
}

import type { FunctionBody, Statement } from "../parser/ast.ts";
import { callWith } from "../runtime/calls.ts";
import type { Compiler } from "./compiler.ts";
import { compileGeneratorBlock } from "./compile-generators.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { PyGenerator } from "../runtime/classes/generators.ts";
import { PyUserFunction } from "../runtime/classes/user-functions.ts";

/** Compiles a function body; parameters are bound before it runs. */
export function compileFunctionBody(compiler: Compiler, name: string, fn: FunctionBody): Evaluate {
  if (fn.isGenerator) {
    const steps = compileGeneratorBlock(compiler, fn.body);
    return (frame) => new PyGenerator(name, runToEnd(steps, frame));
  }
  const [only] = fn.body;
  if (fn.body.length === 1 && only?.kind === "return") return compiler.compile(only.value);
  const block = compiler.compileBlock(fn.body);
  return (frame) => {
    block(frame);
    return frame.result;
  };
}

function* runToEnd(steps: ReturnType<typeof compileGeneratorBlock>, frame: Frame) {
  yield* steps(frame);
  return frame.result;
}

/** Compiles a `lambda` or `def`. Defaults are evaluated each time the function is created. */
export function compileFunction(
  compiler: Compiler,
  name: string,
  fn: FunctionBody,
  doc: string | null = null,
): Evaluate {
  const { names, positionalOnly, keywordOnly, rest, keywords } = fn.parameters;
  const inner = compiler.nestedCompiler("function", fn.locals);
  const result = compileFunctionBody(inner, name, fn);
  const defaults = names.flatMap(({ defaultValue }) => (defaultValue ? [compiler.compile(defaultValue)] : []));
  const keywordOnlyDefaults = keywordOnly.map((parameter) => ({
    name: parameter.name,
    defaultValue: parameter.defaultValue && compiler.compile(parameter.defaultValue),
  }));
  const parameterNames = names.map((parameter) => parameter.name);
  return (frame) => {
    const parameters = {
      names: parameterNames,
      positionalOnly,
      defaults: defaults.map((standard) => standard(frame)),
      keywordOnly: keywordOnlyDefaults.map(({ name: parameterName, defaultValue }) => ({
        name: parameterName,
        defaultValue: defaultValue?.(frame),
      })),
      hasRest: rest !== null,
      hasKeywords: keywords !== null,
    };
    return new PyUserFunction(name, doc, parameters, (slots) => result(frame.inner(slots)));
  };
}

/** Compiles a `def` with its decorators, applied from the innermost to the outermost. */
export function compileDefinition(compiler: Compiler, statement: Statement & { kind: "function" }): Evaluate {
  const make = compileFunction(compiler, statement.name, statement.fn, statement.doc);
  const decorators = compiler.compileAll(statement.decorators);
  if (decorators.length === 0) return make;
  return (frame) => {
    const callables = decorators.map((decorator) => decorator(frame));
    return callables.reduceRight((value, decorator) => callWith(decorator, value), make(frame));
  };
}

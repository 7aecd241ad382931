import type { Call } from "../parser/ast.ts";
import { spendSteps } from "../runtime/budget.ts";
import { PyBytes } from "../runtime/text/bytes.ts";
import { enterCall, leaveCall } from "../runtime/calls.ts";
import type { Compiler } from "./compiler.ts";
import { compileListItems } from "./compile-displays.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { errorFromEngine, syntaxError, typeError } from "../runtime/errors.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { parseExpressionText } from "../parser/parse.ts";
import { PyObject, type PyValue, typeName } from "../runtime/values.ts";

/** Approximate cost of parsing and compiling a character. */
const COMPILE_STEPS_PER_CHARACTER = 100;

/** Returns true for calls of `eval` by its plain name: only these see the enclosing variables. */
export function isEval(compiler: Compiler, { callee, positional, keywords }: Call): boolean {
  if (callee.kind !== "name" || callee.name !== "eval" || !compiler.isGlobal("eval")) return false;
  const isPlain = keywords.length === 0 && positional.every((item) => item.kind !== "starred");
  return isPlain && positional.length >= 1 && positional.length <= 3;
}

/**
 * Compiles `eval(text)` and `eval(text, globals, locals)`. The expression uses the language and the budget of the
 * formula.
 */
export function compileEval(compiler: Compiler, { positional }: Call): Evaluate {
  const args = compileListItems(compiler, positional);
  return (frame) => {
    const [text = null, globals = null, locals = null] = args(frame);
    return evaluateSource(compiler, frame, {
      text: requireSource(text),
      namespaces: [readNamespace(globals), readNamespace(locals)],
    });
  };
}

function requireSource(value: PyValue): string {
  const text = value instanceof PyObject ? value.payload : value;
  if (typeof text === "string") return text;
  const decoded = value instanceof PyBytes ? value.decodeUtf8() : undefined;
  if (decoded !== undefined) return decoded;
  throw typeError(`eval() arg 1 must be a string, bytes or code object, not ${typeName(value)}`);
}

function readNamespace(value: PyValue): ReadonlyMap<string, PyValue> {
  if (value === null) return new Map();
  const dict = value instanceof PyObject ? (value.payload ?? value) : value;
  if (!(dict instanceof PyDict)) throw typeError("globals must be a dict");
  return new Map(dict.entries().flatMap(([key, item]) => (typeof key === "string" ? [[key, item] as const] : [])));
}

function evaluateSource(
  compiler: Compiler,
  frame: Frame,
  { text, namespaces }: { text: string; namespaces: readonly ReadonlyMap<string, PyValue>[] },
): PyValue {
  spendSteps(text.length * COMPILE_STEPS_PER_CHARACTER);
  const names = new Map(namespaces.flatMap((map) => [...map]));
  enterCall();
  try {
    const fn = parseExpressionText(text);
    const innerCompiler = compiler.nestedCompiler("function", [...names.keys()]);
    const [statement] = fn.body;
    if (statement?.kind !== "return") throw syntaxError("invalid syntax");
    const evaluate = innerCompiler.nestedCompiler("function", fn.locals).compile(statement.value);
    return evaluate(frame.inner([...names.values()]).inner([]));
  } catch (error) {
    throw error instanceof RangeError ? errorFromEngine(error) : error;
  } finally {
    leaveCall();
  }
}

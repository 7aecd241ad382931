import { spendSteps } from "./budget.ts";
import { notSupported, PyError, typeError } from "./errors.ts";
import { type Keywords, PyFunction, PyObject, type PyValue, typeName } from "./values.ts";

/** `value(…)` */
export function callValue(value: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
  spendSteps(1);
  if (value instanceof PyFunction) return value.call(positional, keywords);
  const method = value instanceof PyObject ? value.attribute("__call__") : undefined;
  if (method instanceof PyFunction) return method.call(positional, keywords);
  if (value instanceof PyObject && value.hasOperators) throw notSupported(`calling ${typeName(value)} values`);
  throw typeError(`'${typeName(value)}' object is not callable`);
}

/** `value(…)` with positional arguments only. */
export const callWith = (value: PyValue, ...positional: readonly PyValue[]): PyValue =>
  callValue(value, positional, NONE);

const NONE: Keywords = new Map();

/** As deep as Python lets functions call each other. */
const MAX_DEPTH = 980;

let depth = 0;

/** To be called before a function that a formula defines runs. Throws PyError RecursionError when it is too deep. */
export function enterCall(): void {
  if (depth >= MAX_DEPTH) throw new PyError("RecursionError", "maximum recursion depth exceeded");
  depth++;
}

/** To be called after it, however it ended. */
export function leaveCall(): void {
  depth--;
}

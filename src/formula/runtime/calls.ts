import { spendSteps } from "./budget.ts";
import { CALL_STEPS } from "./call-costs.ts";
import { notSupported, PyError, typeError } from "./errors.ts";
import { AltText, type Keywords, PyFunction, PyObject, type PyValue, typeName } from "./values.ts";

/** `value(…)` */
export function callValue(value: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
  spendSteps(CALL_STEPS);
  const callable = callableOf(value);
  if (callable) return callable.call(positional, keywords);
  if (value instanceof PyObject && value.hasOperators) throw notSupported(`calling ${typeName(value)} values`);
  throw typeError(`'${typeName(value)}' object is not callable`);
}

/** The function that calling the value calls; undefined if it cannot be called. */
export function callableOf(value: PyValue): PyFunction | undefined {
  if (value instanceof PyFunction) return value;
  // Texts in cells of another type refuse to be asked for an attribute.
  if (!(value instanceof PyObject) || value instanceof AltText) return undefined;
  const method = value.attribute("__call__");
  return method instanceof PyFunction ? method : undefined;
}

/** `value(…)` with positional arguments only. */
export const callWith = (value: PyValue, ...positional: readonly PyValue[]): PyValue =>
  callValue(value, positional, NO_KEYWORD_ARGUMENTS);

const NO_KEYWORD_ARGUMENTS: Keywords = new Map();

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

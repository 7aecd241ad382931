import { spendSteps } from "./budget.ts";
import { CALL_STEPS } from "./call-costs.ts";
import { notSupported, PyError, typeError } from "./errors.ts";
import { AltText, type Keywords, PyFunction, PyObject, type PyValue, typeName } from "./values.ts";

/** Calls `value(…)`. */
export function callValue(value: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
  spendSteps(CALL_STEPS);
  const callable = callableOf(value);
  if (callable) return callable.call(positional, keywords);
  if (value instanceof PyObject && value.hasOperators) throw notSupported(`calling ${typeName(value)} values`);
  throw typeError(`'${typeName(value)}' object is not callable`);
}

/** Returns the function to call for a callable value; undefined if it is not callable. */
export function callableOf(value: PyValue): PyFunction | undefined {
  if (value instanceof PyFunction) return value;
  // Attribute access on an AltText throws.
  if (!(value instanceof PyObject) || value instanceof AltText) return undefined;
  const method = value.attribute("__call__");
  return method instanceof PyFunction ? method : undefined;
}

/** Calls `value(…)` with positional arguments only. */
export const callWith = (value: PyValue, ...positional: readonly PyValue[]): PyValue =>
  callValue(value, positional, NO_KEYWORD_ARGUMENTS);

const NO_KEYWORD_ARGUMENTS: Keywords = new Map();

/** The recursion limit, similar to CPython's. */
const MAX_DEPTH = 980;

let depth = 0;

/** Enters a user-defined function. Throws PyError RecursionError when the call stack is too deep. */
export function enterCall(): void {
  if (depth >= MAX_DEPTH) throw new PyError("RecursionError", "maximum recursion depth exceeded");
  depth++;
}

/** Leaves a user-defined function; must follow `enterCall`, also after errors. */
export function leaveCall(): void {
  depth--;
}

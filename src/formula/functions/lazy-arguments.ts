import { spendSteps } from "../runtime/budget.ts";
import { CATCH_STEPS, PyError } from "../runtime/errors.ts";
import { AltText, PyObject, type PyValue } from "../runtime/values.ts";

/** Arguments that a function evaluates lazily, or never, when it is called by its plain name. */
export const LAZY_ARGUMENTS: ReadonlyMap<string, readonly number[]> = new Map([
  ["IF", [1, 2]],
  ["IFERROR", [0]],
  ["ISERR", [0]],
  ["ISERROR", [0]],
  ["PEEK", [0]],
]);

/** An unevaluated argument. */
export class Thunk extends PyObject {
  readonly typeName = "function";
  readonly evaluate: () => PyValue;

  constructor(evaluate: () => PyValue) {
    super();
    this.evaluate = evaluate;
  }

  repr(): string {
    return "<function <lambda>>";
  }
}

/** Evaluates an argument if it is lazy. */
export const force = (argument: PyValue): PyValue => (argument instanceof Thunk ? argument.evaluate() : argument);

/** Returns the value of an argument, or the error it raised. Rethrows uncatchable errors. */
export function evaluateOrError(argument: PyValue): { value: PyValue } | { error: PyError } {
  try {
    return { value: force(argument) };
  } catch (error) {
    if (!(error instanceof PyError && error.catchable)) throw error;
    spendSteps(CATCH_STEPS);
    return { error };
  }
}

/** Returns true for values that count as errors: NaN, and texts in cells of another type. */
export const isErrorLike = (value: PyValue): boolean => Number.isNaN(value) || value instanceof AltText;

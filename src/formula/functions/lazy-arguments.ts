import { spendSteps } from "../runtime/budget.ts";
import { CATCH_STEPS, PyError } from "../runtime/errors.ts";
import { AltText, PyObject, type PyValue } from "../runtime/values.ts";

/** Arguments that a function evaluates itself, if at all, when it is called by its plain name. */
export const LAZY_ARGUMENTS: ReadonlyMap<string, readonly number[]> = new Map([
  ["IF", [1, 2]],
  ["IFERROR", [0]],
  ["ISERR", [0]],
  ["ISERROR", [0]],
  ["PEEK", [0]],
]);

/** An argument that is not evaluated yet. */
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

/** The value of an argument, lazy or not. */
export const force = (argument: PyValue): PyValue => (argument instanceof Thunk ? argument.evaluate() : argument);

/** The value of an argument, or the error it raised. Errors that no formula may catch are thrown. */
export function evaluateOrError(argument: PyValue): { value: PyValue } | { error: PyError } {
  try {
    return { value: force(argument) };
  } catch (error) {
    if (!(error instanceof PyError && error.catchable)) throw error;
    spendSteps(CATCH_STEPS);
    return { error };
  }
}

/** True for values that count as errors though nothing failed: NaN, and texts in cells of another type. */
export const isErrorLike = (value: PyValue): boolean => Number.isNaN(value) || value instanceof AltText;

import { defineFunction } from "../runtime/signature.ts";
import { type PyFunction, isTruthy } from "../runtime/values.ts";
import { evaluateOrError, force, isErrorLike } from "./lazy-arguments.ts";

const ANY_NUMBER = { required: ["logical_expression"], rest: true };

/** Functions for conditions. */
export const LOGICAL_FUNCTIONS: readonly PyFunction[] = [
  /** AND(value, …): true when all values are truthy. */
  defineFunction("AND", ANY_NUMBER, (args) => args.every(isTruthy)),
  /** OR(value, …): true when at least one value is truthy. */
  defineFunction("OR", ANY_NUMBER, (args) => args.some(isTruthy)),
  /** NOT(value) */
  defineFunction("NOT", { required: ["logical_expression"] }, ([value = null]) => !isTruthy(value)),
  defineFunction("TRUE", {}, () => true),
  defineFunction("FALSE", {}, () => false),
  /** IF(logical_expression, value_if_true, value_if_false): evaluates only the selected value. */
  defineFunction(
    "IF",
    { required: ["logical_expression", "value_if_true", "value_if_false"] },
    ([test = null, then = null, elseValue = null]) => force(isTruthy(test) ? then : elseValue),
  ),
  /**
   * IFERROR(value, value_if_error=""): the second value if the first is an error, NaN, or a text in a cell of another
   * type.
   */
  defineFunction(
    "IFERROR",
    { required: ["value"], optional: [["value_if_error", ""]] },
    ([value = null, replacement = null]) => {
      const result = evaluateOrError(value);
      return "error" in result || isErrorLike(result.value) ? replacement : result.value;
    },
  ),
];

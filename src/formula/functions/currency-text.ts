import { formatValue } from "../runtime/text/format.ts";
import { COMPARE } from "../runtime/operators.ts";
import { defineFunction } from "../runtime/signature.ts";
import { type PyFunction, pyStr, type PyValue, isTruthy } from "../runtime/values.ts";
import { absolute } from "./python.ts";
import { roundHalfAwayFromZero } from "./rounding.ts";

/** Functions that format numbers as text. */
export const MONEY_FUNCTIONS: readonly PyFunction[] = [
  /** DOLLAR(number, decimals=2): negative numbers in parentheses. */
  defineFunction(
    "DOLLAR",
    { required: ["number"], optional: [["decimals", 2n]] },
    ([number = null, decimals = null]) => {
      const text = `$${writeRounded(absolute([number]), decimals, ",")}`;
      return COMPARE[">="](number, 0n) ? text : `(${text})`;
    },
  ),
  /** FIXED(number, decimals=2, no_commas=False) */
  defineFunction(
    "FIXED",
    {
      required: ["number"],
      optional: [
        ["decimals", 2n],
        ["no_commas", false],
      ],
    },
    ([value = null, decimals = null, plain = null]) => writeRounded(value, decimals, isTruthy(plain) ? "" : ","),
  ),
];

/**
 * Rounds to a number of decimals; negative counts round to tens, hundreds, … The number of decimals must be an integer.
 */
function writeRounded(number: PyValue, decimals: PyValue, separator: string): string {
  const rounded = roundHalfAwayFromZero(number, decimals);
  const places = COMPARE[">"](decimals, 0n) ? decimals : 0n;
  return formatValue(rounded, `${separator}.${pyStr(places)}f`);
}

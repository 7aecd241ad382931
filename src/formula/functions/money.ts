import { formatValue } from "../format.ts";
import { defineFunction, wantIndex } from "../signature.ts";
import { type PyFunction, type PyValue, truth } from "../values.ts";
import { absolute, round } from "./python.ts";
import { wantNumber } from "./arguments.ts";

/** The library's functions that write numbers. */
export const MONEY_FUNCTIONS: readonly PyFunction[] = [
  /** DOLLAR(number, decimals=2): negative numbers in parentheses. */
  defineFunction("DOLLAR", { required: ["number"], optional: [["decimals", 2n]] }, ([value, decimals = null]) => {
    const number = wantNumber(value);
    const text = `$${writeRounded(absolute([number]), decimals, ",")}`;
    return number < 0 ? `(${text})` : text;
  }),
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
    ([value, decimals = null, plain = null]) => writeRounded(wantNumber(value), decimals, truth(plain) ? "" : ","),
  ),
];

/** Rounded to so many decimals, of which a negative number means tens. */
function writeRounded(number: PyValue, decimals: PyValue, separator: string): string {
  const places = wantIndex(decimals);
  return formatValue(round([number, decimals]), `${separator}.${Math.max(0, places)}f`);
}

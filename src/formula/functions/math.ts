import { POWER } from "../arithmetic.ts";
import { typeError } from "../errors.ts";
import { floatToInt, intToFloat } from "../numbers.ts";
import { add } from "../operators.ts";
import { defineFunction, wantInt } from "../signature.ts";
import { itemsOf, numberOf, type PyFunction, PyObject, type PyValue, typeName } from "../values.ts";

/** The library's functions on numbers. */
export const MATH_FUNCTIONS: readonly PyFunction[] = [
  /** SUM(value, …): of all numbers given and within lists given; a bool counts as 1 or 0, other values not at all. */
  defineFunction("SUM", { required: ["value1"], rest: true }, (args) => args.flatMap(numbersOf).reduce(add, 0n)),
  /** ROUND(value, places=0): halves away from zero, always a float. */
  defineFunction("ROUND", { required: ["value"], optional: [["places", 0n]] }, ([value = null, places]) =>
    roundAway(value, wantInt(places)),
  ),
];

function numbersOf(value: PyValue): readonly PyValue[] {
  const items = value instanceof PyObject && value.items() ? itemsOf(value) : [value];
  return items.filter((item) => numberOf(item) !== undefined);
}

/** Rounds the float that `value * 10^places` comes to, so that 1.005 to two places is 1.0. */
function roundAway(value: PyValue, places: bigint): number {
  const number = numberOf(value);
  if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`);
  const float = typeof number === "bigint" ? intToFloat(number) : number;
  const power = POWER.ints(10n, places);
  const unit = typeof power === "bigint" ? intToFloat(power) : power;
  const scaled = float >= 0 ? Math.floor(float * unit + 0.5) : Math.ceil(float * unit - 0.5);
  return intToFloat(floatToInt(scaled)) / unit;
}

import { POWER } from "../arithmetic.ts";
import { typeError, valueError } from "../errors.ts";
import { floatToInt, intToFloat } from "../numbers.ts";
import { add, BINARY } from "../operators.ts";
import { defineFunction, wantInt } from "../signature.ts";
import { numberOf, type PyFunction, type PyValue, truth, typeName } from "../values.ts";
import { wantFloat, wantNumber } from "./arguments.ts";

const PLACES = { required: ["value"], optional: [["places", 0n]] } as const;
const FACTOR = { required: ["value"], optional: [["factor", 1n]] } as const;

/** The library's ways of rounding. */
export const ROUNDING_FUNCTIONS: readonly PyFunction[] = [
  /** CEILING(value, factor=1): up to a multiple of the factor. */
  defineFunction("CEILING", FACTOR, ([value = null, factor = null]) => inUnits(value, factor, Math.ceil)),
  /** EVEN(value): to an even int, away from zero. */
  defineFunction("EVEN", { required: ["value"] }, ([value]) => awayFromZero(value, (size) => Math.ceil(size / 2) * 2)),
  /** FLOOR(value, factor=1): down to a multiple of the factor, which must have the sign of the value. */
  defineFunction("FLOOR", FACTOR, ([value = null, factor = null]) => {
    checkSigns(value, factor);
    return inUnits(value, factor, Math.floor);
  }),
  /** INT(value): down to an int. */
  defineFunction("INT", { required: ["value"] }, ([value]) => roundToInt(wantNumber(value), Math.floor)),
  /** MROUND(value, factor): to the nearest multiple of the factor, which must have the sign of the value. */
  defineFunction("MROUND", { required: ["value", "factor"] }, ([value = null, factor = null]) => {
    checkSigns(value, factor);
    return BINARY["*"](roundAway(BINARY["/"](value, factor), 0n), factor);
  }),
  /** ODD(value): to an odd int, away from zero. */
  defineFunction("ODD", { required: ["value"] }, ([value]) =>
    awayFromZero(value, (size) => Math.max(0, Math.ceil((size - 1) / 2)) * 2 + 1),
  ),
  /** ROUND(value, places=0): halves away from zero, always a float. */
  defineFunction("ROUND", PLACES, ([value = null, places]) => roundAway(value, wantInt(places))),
  /** ROUNDDOWN(value, places=0): towards zero. */
  defineFunction("ROUNDDOWN", PLACES, ([value = null, places = null]) => toPlaces(value, places, Math.trunc)),
  /** ROUNDUP(value, places=0): away from zero. */
  defineFunction("ROUNDUP", PLACES, ([value = null, places = null]) => toPlaces(value, places, roundOut)),
  /** TRUNC(value, places=0): towards zero. */
  defineFunction("TRUNC", PLACES, ([value = null, places = null]) => toPlaces(value, places, Math.trunc)),
];

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

const roundOut = (value: number): number => (value < 0 ? Math.floor(value) : Math.ceil(value));

function roundToInt(value: bigint | number, round: (value: number) => number): bigint {
  return typeof value === "bigint" ? value : floatToInt(round(value));
}

/** The value divided by a unit, rounded to an int, and multiplied again: what floats lose on the way stays lost. */
function inUnits(value: PyValue, unit: PyValue, round: (value: number) => number): PyValue {
  return BINARY["*"](roundToInt(wantNumber(BINARY["/"](value, unit)), round), unit);
}

const toPlaces = (value: PyValue, places: PyValue, round: (value: number) => number): PyValue =>
  inUnits(value, BINARY["**"](10n, BINARY["-"](0n, places)), round);

function awayFromZero(value: PyValue | undefined, round: (size: number) => number): bigint {
  const float = wantFloat(value);
  const size = floatToInt(round(Math.abs(float)));
  return float < 0 ? -size : size;
}

function checkSigns(value: PyValue, factor: PyValue): void {
  const product = BINARY["*"](value, factor);
  if (truth(product) && wantFloat(add(product, 0n)) < 0) throw valueError("the factor must have the sign of the value");
}

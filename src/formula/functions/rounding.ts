import { valueError } from "../runtime/errors.ts";
import { ceil, floor } from "../modules/math.ts";
import { floatToInt } from "../runtime/numbers/numbers.ts";
import { add, BINARY, COMPARE, UNARY } from "../runtime/operators.ts";
import { defineFunction, requireFloat } from "../runtime/signature.ts";
import type { PyFunction, PyValue } from "../runtime/values.ts";
import { toFloat } from "./python.ts";

const PLACES = { required: ["value"], optional: [["places", 0n]] } as const;
const FACTOR = { required: ["value"], optional: [["factor", 1n]] } as const;

/** Rounding functions. */
export const ROUNDING_FUNCTIONS: readonly PyFunction[] = [
  /** CEILING(value, factor=1): rounds up to a multiple of the factor. */
  defineFunction("CEILING", FACTOR, ([value = null, factor = null]) => roundToUnit(value, factor, Math.ceil)),
  /** EVEN(value): rounds to an even int, away from zero. */
  defineFunction("EVEN", { required: ["value"] }, ([value = null]) => evenAwayFromZero(value)),
  /** FLOOR(value, factor=1): rounds down to a multiple of the factor, which must have the sign of the value. */
  defineFunction("FLOOR", FACTOR, ([value = null, factor = null]) => {
    requireSameSign(value, factor);
    return roundToUnit(value, factor, Math.floor);
  }),
  /** INT(value): rounds down to an int. */
  defineFunction("INT", { required: ["value"] }, ([value = null]) => floor(value)),
  /** MROUND(value, factor): rounds to the nearest multiple of the factor, which must have the sign of the value. */
  defineFunction("MROUND", { required: ["value", "factor"] }, ([value = null, factor = null]) => {
    requireSameSign(value, factor);
    return BINARY["*"](roundHalfAwayFromZero(BINARY["/"](toFloat(value), factor), 0n), factor);
  }),
  /** ODD(value): rounds to an odd int, away from zero. */
  defineFunction("ODD", { required: ["value"] }, ([value = null]) => oddAwayFromZero(value)),
  /** ROUND(value, places=0): rounds half away from zero; always a float. */
  defineFunction("ROUND", PLACES, ([value = null, places = null]) => roundHalfAwayFromZero(value, places)),
  /** ROUNDDOWN(value, places=0): rounds towards zero. */
  defineFunction("ROUNDDOWN", PLACES, ([value = null, places = null]) => roundToPlaces(value, places, Math.trunc)),
  /** ROUNDUP(value, places=0): rounds away from zero. */
  defineFunction("ROUNDUP", PLACES, ([value = null, places = null]) => roundToPlaces(value, places, roundAwayFromZero)),
  /** TRUNC(value, places=0): rounds towards zero. */
  defineFunction("TRUNC", PLACES, ([value = null, places = null]) => roundToPlaces(value, places, Math.trunc)),
];

/**
 * Rounds `value * 10^places` to a whole number, half away from zero, so that 1.005 to two places is 1.0. A comparison
 * determines the sign and fails for values without an order.
 */
export function roundHalfAwayFromZero(value: PyValue, places: PyValue): PyValue {
  const unit = BINARY["**"](10n, places);
  const isNegative = !COMPARE[">="](value, 0n);
  const scaled = BINARY["*"](value, unit);
  const whole = isNegative ? ceil(BINARY["-"](scaled, 0.5)) : floor(add(scaled, 0.5));
  return BINARY["/"](toFloat(whole), unit);
}

/** Divides the value, as a float, by a unit, rounds, and multiplies again: float precision is lost as in Python. */
function roundToUnit(value: PyValue, unit: PyValue, round: (value: number) => number): PyValue {
  return BINARY["*"](floatToInt(round(requireFloat(BINARY["/"](toFloat(value), unit)))), unit);
}

function roundToPlaces(value: PyValue, places: PyValue, round: (value: number) => number): PyValue {
  return roundToUnit(value, BINARY["**"](10n, UNARY["-"](places)), round);
}

const roundAwayFromZero = (value: number): number => (value < 0 ? Math.floor(value) : Math.ceil(value));

/** Returns the nearest even int that is at least as far from zero. */
function evenAwayFromZero(value: PyValue): bigint {
  const half = requireFloat(BINARY["/"](value, 2n));
  return floatToInt(roundAwayFromZero(half)) * 2n;
}

/** Like `evenAwayFromZero` for odd ints: the even int above the next number, minus one. */
function oddAwayFromZero(value: PyValue): bigint {
  const step = COMPARE["<"](value, 0n) ? -1n : 1n;
  return evenAwayFromZero(add(value, step)) - step;
}

/** Throws PyError ValueError unless the signs are equal. */
function requireSameSign(value: PyValue, factor: PyValue): void {
  if (COMPARE["<"](factor, 0n) !== COMPARE["<"](value, 0n)) {
    throw valueError("factor must have the same sign as value");
  }
}

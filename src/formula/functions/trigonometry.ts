import { POWER } from "../runtime/numbers/arithmetic.ts";
import { overflowError, PyError, valueError } from "../runtime/errors.ts";
import { bitLength } from "../runtime/numbers/numbers.ts";
import { BINARY } from "../runtime/operators.ts";
import { defineFunction, requireFloat } from "../runtime/signature.ts";
import { numberOf, type PyFunction, type PyValue } from "../runtime/values.ts";

/** Functions on floats, with Python's errors for undefined results. */

const domainError = (): PyError => valueError("math domain error");

/** Defines a function of one float. A NaN result, or an infinite one for a finite argument, is an error. */
function floatFunction(
  name: string,
  compute: (value: number) => number,
  atInfinity: () => PyError = rangeError,
): PyFunction {
  return defineFunction(name, { required: ["value"] }, ([value]) => {
    const argument = requireFloat(value);
    const result = compute(argument);
    if (Number.isNaN(result) && !Number.isNaN(argument)) throw domainError();
    if (!Number.isFinite(result) && Number.isFinite(argument)) throw atInfinity();
    return result;
  });
}

function squareRoot(value: number): number {
  if (value < 0) throw domainError();
  return Math.sqrt(value);
}

const rangeError = (): PyError => overflowError("math range error");

/**
 * Returns `math.log(value)`, also for ints beyond the range of floats. Throws PyError ValueError for values that are
 * not positive.
 */
export function naturalLog(value: PyValue | undefined): number {
  return checkedLog(value, Math.log, Math.LN2);
}

function checkedLog(value: PyValue | undefined, log: (value: number) => number, ofTwo: number): number {
  const number = numberOf(value ?? null);
  if (typeof number === "bigint" && number > 0n && bitLength(number) > 1000) {
    const bits = bitLength(number);
    return log(Number(number >> BigInt(bits - 64)) / 2 ** 64) + bits * ofTwo;
  }
  const float = requireFloat(value);
  if (float <= 0) throw domainError();
  return log(float);
}

/** Returns `math.log(value, base)`. */
export function logToBase(value: PyValue | undefined, base: PyValue | undefined): number {
  const numerator = naturalLog(value);
  const denominator = naturalLog(base);
  if (denominator === 0) throw new PyError("ZeroDivisionError", "float division by zero");
  return numerator / denominator;
}

/** Returns `math.pow(base, exponent)`: unlike `**` always a float, and an error where the result would be complex. */
export function powerOfFloats(base: number, exponent: number): number {
  const finite = Number.isFinite(base) && Number.isFinite(exponent);
  if (base === 0 && exponent < 0 && finite) throw domainError();
  if (base === 0 && exponent === -Infinity) return Infinity;
  if (finite && base < 0 && !Number.isInteger(exponent)) throw domainError();
  return Number(POWER.floats?.(base, exponent));
}

export const TRIGONOMETRY_FUNCTIONS: readonly PyFunction[] = [
  /** ACOS(value): the angle in radians, as for all of these functions. */
  floatFunction("ACOS", Math.acos),
  /** ACOSH(value) */
  floatFunction("ACOSH", Math.acosh),
  /** ASIN(value) */
  floatFunction("ASIN", Math.asin),
  /** ASINH(value) */
  floatFunction("ASINH", Math.asinh),
  /** ATAN(value) */
  floatFunction("ATAN", Math.atan),
  /** ATAN2(x, y): the angle of the point (x, y). */
  defineFunction("ATAN2", { required: ["x", "y"] }, ([x, y]) => Math.atan2(requireFloat(y), requireFloat(x))),
  /** ATANH(value) */
  floatFunction("ATANH", Math.atanh, domainError),
  /** COS(angle) */
  floatFunction("COS", Math.cos),
  /** COSH(value) */
  floatFunction("COSH", Math.cosh),
  /** DEGREES(angle): from radians. */
  floatFunction("DEGREES", (value) => value * (180 / Math.PI)),
  /** EXP(exponent) */
  floatFunction("EXP", Math.exp),
  /** LN(value) */
  defineFunction("LN", { required: ["value"] }, ([value]) => naturalLog(value)),
  /** LOG(value, base=10) */
  defineFunction("LOG", { required: ["value"], optional: [["base", 10n]] }, ([value, base]) => logToBase(value, base)),
  /** LOG10(value) */
  defineFunction("LOG10", { required: ["value"] }, ([value]) => checkedLog(value, Math.log10, Math.log10(2))),
  /** PI() */
  defineFunction("PI", {}, () => Math.PI),
  /** POWER(base, exponent): always a float. */
  defineFunction("POWER", { required: ["base", "exponent"] }, ([base, exponent]) =>
    powerOfFloats(requireFloat(base), requireFloat(exponent)),
  ),
  /** RADIANS(angle): from degrees. */
  floatFunction("RADIANS", (value) => value * (Math.PI / 180)),
  /** SIN(angle) */
  floatFunction("SIN", Math.sin),
  /** SINH(value) */
  floatFunction("SINH", Math.sinh),
  /** SQRT(value) */
  defineFunction("SQRT", { required: ["value"] }, ([value]) => squareRoot(requireFloat(value))),
  /** SQRTPI(value): the square root of pi times the value. */
  defineFunction("SQRTPI", { required: ["value"] }, ([value = null]) =>
    squareRoot(requireFloat(BINARY["*"](Math.PI, value))),
  ),
  /** TAN(angle) */
  floatFunction("TAN", Math.tan),
  /** TANH(value) */
  floatFunction("TANH", Math.tanh),
];

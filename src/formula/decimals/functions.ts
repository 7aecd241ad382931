import { spendSteps } from "../runtime/budget.ts";
import { integerSquareRoot, intTooLarge } from "../runtime/numbers/numbers.ts";
import { divide, multiplyDigits, propagateNan } from "./arithmetic.ts";
import { type DecimalContext, roundOffDigits, roundToContext, signalCondition } from "./context.ts";
import {
  adjustedExponent,
  digitCount,
  INFINITY,
  isZero,
  type Numeral,
  numeral,
  powerOfTen,
  withSign,
} from "./numeral.ts";

/** Roots, logarithms and powers of decimals, computed with guard digits beyond the context's precision. */

const MAX_PRECISION = 2000;

export function squareRoot(value: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, value);
  if (nan) return nan;
  if (isZero(value)) return roundToContext(numeral(value.negative, 0n, Math.floor(value.exponent / 2)), context);
  if (value.negative) return signalCondition(context, "InvalidOperation", "sqrt(-x), x > 0");
  if (value.kind === "infinity") return value;
  const precision = context.precision + 1;
  let exponent = Math.floor(value.exponent / 2);
  const isOdd = value.exponent % 2 !== 0;
  const digits = isOdd ? value.digits * 10n : value.digits;
  const shift = precision - Math.ceil(digitCount(digits) / 2);
  const unit = powerOfTen(2 * Math.abs(shift));
  const scaled = shift >= 0 ? digits * unit : digits / unit;
  let root = integerSquareRoot(scaled);
  const isExact = root * root === scaled && (shift >= 0 || scaled * unit === digits);
  exponent -= shift;
  if (isExact) {
    root = shift >= 0 ? root / powerOfTen(shift) : root * powerOfTen(-shift);
    exponent += shift;
  } else if (root % 5n === 0n) root++;
  return roundToContext(numeral(false, root, exponent), { ...context, rounding: "ROUND_HALF_EVEN" });
}

/** Returns a number as a fixed-point int with the given decimal places. */
const scale = ({ negative, digits, exponent }: Numeral, places: number): bigint => {
  const shift = exponent + places;
  const size = shift >= 0 ? digits * powerOfTen(shift) : digits / powerOfTen(Math.min(-shift, digitCount(digits) + 1));
  return negative ? -size : size;
};

function checkPrecision({ precision }: DecimalContext): void {
  if (precision > MAX_PRECISION) throw intTooLarge();
}

/** Returns `ln(value / 10^places) * 10^places` for a value near one. */
function lnOfScaled(value: bigint, places: number): bigint {
  const unit = powerOfTen(places);
  // Square roots bring the value near one, where the series converges quickly.
  let reduced = value;
  let doublings = 0n;
  while (reduced * 10n > unit * 11n || reduced * 11n < unit * 10n) {
    reduced = integerSquareRoot(reduced * unit);
    doublings++;
  }
  const ratio = ((reduced - unit) * unit) / (reduced + unit);
  const square = (ratio * ratio) / unit;
  let term = ratio;
  let sum = 0n;
  for (let count = 1n; term !== 0n; count += 2n) {
    spendSteps(4 + (places / 20) ** 2 / 16);
    sum += term / count;
    term = (term * square) / unit;
  }
  return (2n * sum) << doublings;
}

const lnOfTen = (places: number): bigint => lnOfScaled(powerOfTen(places + 1), places);

/** Returns `ln(value) * 10^places` for a positive finite value. */
function lnScaled(value: Numeral, places: number): bigint {
  const shift = adjustedExponent(value);
  const mantissa = scale({ ...value, negative: false, exponent: value.exponent - shift }, places);
  return lnOfScaled(mantissa, places) + BigInt(shift) * lnOfTen(places);
}

/** Returns `e^(value / 10^places)` as digits with an exponent. */
function expScaled(value: bigint, places: number): Numeral {
  const unit = powerOfTen(places);
  const ten = lnOfTen(places);
  const whole = value >= 0n ? value / ten : -((-value + ten - 1n) / ten);
  const rest = value - whole * ten;
  // Halving the argument makes the series converge quickly; the result is squared as often.
  const halvings = 8n;
  const small = rest >> halvings;
  let term = unit;
  let sum = unit;
  for (let count = 1n; term !== 0n; count++) {
    spendSteps(4 + (places / 20) ** 2 / 16);
    term = (term * small) / (unit * count);
    sum += term;
  }
  for (let count = 0n; count < halvings; count++) sum = (sum * sum) / unit;
  return numeral(false, sum, Number(whole) - places);
}

const EXTRA_DIGITS = 20;

/** Pads `value` with zeros to the context's precision, as for inexact results. */
function padToPrecision(value: Numeral, context: DecimalContext): Numeral {
  const missingDigits = context.precision - digitCount(value.digits);
  if (missingDigits <= 0 || isZero(value)) return roundToContext(value, context);
  return roundToContext(
    { ...value, digits: value.digits * powerOfTen(missingDigits), exponent: value.exponent - missingDigits },
    context,
  );
}

const withHalfEvenRounding = (context: DecimalContext): DecimalContext => ({ ...context, rounding: "ROUND_HALF_EVEN" });

const ONE = numeral(false, 1n, 0);

export function exponential(value: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, value);
  if (nan) return nan;
  if (value.kind === "infinity") return value.negative ? numeral(false, 0n, 0) : value;
  if (isZero(value)) return ONE;
  checkPrecision(context);
  if (adjustedExponent(value) > 7)
    return value.negative
      ? numeral(false, 0n, context.minExponent - context.precision + 1)
      : signalCondition(context, "Overflow", "exp", INFINITY);
  const places = context.precision + EXTRA_DIGITS + Math.max(0, adjustedExponent(value) + 1);
  return padToPrecision(expScaled(scale(value, places), places), withHalfEvenRounding(context));
}

/** Returns `ln`, or `log10` if `isTenth`. */
export function logarithm(value: Numeral, context: DecimalContext, isTenth: boolean): Numeral {
  const nan = propagateNan(context, value);
  if (nan) return nan;
  if (isZero(value)) return withSign(INFINITY, true);
  if (value.negative) return signalCondition(context, "InvalidOperation", "the logarithm of a negative number");
  if (value.kind === "infinity") return value;
  const shift = adjustedExponent(value);
  const isPower = value.digits === powerOfTen(digitCount(value.digits) - 1);
  if (isPower && isTenth) return roundToContext(numeral(shift < 0, BigInt(Math.abs(shift)), 0), context);
  if (isPower && shift === 0) return numeral(false, 0n, 0);
  checkPrecision(context);
  // The logarithm of a number near one is small: extra places preserve its significant digits.
  const places = 2 * context.precision + EXTRA_DIGITS;
  const natural = lnScaled(value, places);
  const result = isTenth ? (natural * powerOfTen(places)) / lnOfTen(places) : natural;
  return padToPrecision(numeral(result < 0n, result < 0n ? -result : result, -places), withHalfEvenRounding(context));
}

export function power(base: Numeral, exponent: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, base, exponent);
  if (nan) return nan;
  if (isZero(exponent)) return isZero(base) ? signalCondition(context, "InvalidOperation", "0 ** 0") : ONE;
  const whole = toExactInteger(exponent);
  const negative = base.negative && whole !== undefined && whole % 2n !== 0n;
  if (base.negative && !isZero(base) && whole === undefined && exponent.kind === "finite") {
    return signalCondition(context, "InvalidOperation", "x ** y with x negative and y not an integer");
  }
  if (isZero(base) || base.kind === "infinity") {
    const isLarge = isZero(base) === exponent.negative;
    return withSign(isLarge ? INFINITY : numeral(false, 0n, 0), negative);
  }
  if (exponent.kind === "infinity") return infinitePower(base, exponent, context);
  checkPrecision(context);
  if (whole !== undefined && whole < 1_000_000n && whole > -1_000_000n) return integerPower(base, whole, context);
  const places = context.precision + EXTRA_DIGITS + 10 + Math.max(0, adjustedExponent(exponent));
  const product = (lnScaled(base, places) * scale(exponent, places)) / powerOfTen(places);
  if (digitCount(product < 0n ? -product : product) - places > 7) {
    return product < 0n
      ? numeral(negative, 0n, context.minExponent)
      : signalCondition(context, "Overflow", "pow", withSign(INFINITY, negative));
  }
  return withSign(padToPrecision(expScaled(product, places), withHalfEvenRounding(context)), negative);
}

function infinitePower(base: Numeral, exponent: Numeral, context: DecimalContext): Numeral {
  if (base.negative) return signalCondition(context, "InvalidOperation", "a negative number to an infinite power");
  const isOne = adjustedExponent(base) === 0 && base.digits === powerOfTen(digitCount(base.digits) - 1);
  if (isOne) return padToPrecision(ONE, context);
  return adjustedExponent(base) >= 0 === exponent.negative ? numeral(false, 0n, 0) : INFINITY;
}

/** Returns the int value of a number; undefined if it has a fraction or is extremely large. */
function toExactInteger({ kind, negative, digits, exponent }: Numeral): bigint | undefined {
  if (kind !== "finite" || exponent > 20) return undefined;
  if (exponent >= 0) return (negative ? -digits : digits) * powerOfTen(exponent);
  if (-exponent > digitCount(digits)) return digits === 0n ? 0n : undefined;
  const unit = powerOfTen(-exponent);
  return digits % unit === 0n ? (negative ? -digits : digits) / unit : undefined;
}

/** Computes an integer power by squaring, with guard digits. */
function integerPower(base: Numeral, exponent: bigint, context: DecimalContext): Numeral {
  const size = exponent < 0n ? -exponent : exponent;
  const precision = context.precision + 4 + digitCount(size) * 2;
  const wide = { ...withHalfEvenRounding(context), precision, maxExponent: 9_999_999_999, minExponent: -9_999_999_999 };
  const start = exponent < 0n ? divide(ONE, base, { ...wide, precision: precision + 4 }) : base;
  let power = ONE;
  let square = start;
  for (let remainingExponent = size; remainingExponent > 0n; remainingExponent >>= 1n) {
    if (remainingExponent & 1n) power = truncateProduct(power, square, wide);
    if (remainingExponent > 1n) square = truncateProduct(square, square, wide);
  }
  return roundToContext(power, context);
}

function truncateProduct(left: Numeral, right: Numeral, { precision, rounding }: DecimalContext): Numeral {
  const digits = multiplyDigits(left.digits, right.digits);
  const exponent = left.exponent + right.exponent;
  const negative = left.negative !== right.negative;
  const excess = digitCount(digits) - precision;
  if (excess <= 0) return numeral(negative, digits, exponent);
  return numeral(negative, roundOffDigits(digits, excess, rounding, negative), exponent + excess);
}

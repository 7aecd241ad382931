import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { PyError } from "../runtime/errors.ts";
import { bitLength } from "../runtime/numbers/numbers.ts";
import { type DecimalContext, roundToContext, signalCondition } from "./context.ts";
import {
  adjustedExponent,
  digitCount,
  INFINITY,
  isNan,
  isZero,
  NAN,
  type Numeral,
  numeral,
  powerOfTen,
  withSign,
} from "./numeral.ts";

/** Decimal arithmetic: exact results are rounded to the context. */
export type Operation = (left: Numeral, right: Numeral, context: DecimalContext) => Numeral;

/** Returns the result for NaN operands; undefined if no operand is a NaN. */
export function propagateNan(context: DecimalContext, ...values: readonly Numeral[]): Numeral | undefined {
  const signaling = values.find(({ kind }) => kind === "snan");
  if (signaling) return signalCondition(context, "InvalidOperation", "sNaN", withSign(NAN, signaling.negative));
  return values.find(isNan);
}

/**
 * Returns both operands with the same exponent. An operand that is too small to affect the result except by rounding is
 * replaced by a larger one that rounds the same.
 */
function align(left: Numeral, right: Numeral, precision: number): [Numeral, Numeral] {
  const [large, small] = left.exponent >= right.exponent ? [left, right] : [right, left];
  const largeSize = digitCount(large.digits);
  const smallSize = digitCount(small.digits);
  const minExponent = large.exponent + Math.min(-1, largeSize - precision - 2);
  const alignedSmall = smallSize + small.exponent - 1 < minExponent ? numeral(small.negative, 1n, minExponent) : small;
  const raised = numeral(
    large.negative,
    large.digits * powerOfTen(large.exponent - alignedSmall.exponent),
    alignedSmall.exponent,
  );
  return large === left ? [raised, alignedSmall] : [alignedSmall, raised];
}

export function add(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  if (left.kind === "infinity" || right.kind === "infinity") {
    if (left.kind === right.kind && left.negative !== right.negative) {
      return signalCondition(context, "InvalidOperation", "-INF + INF");
    }
    return left.kind === "infinity" ? left : right;
  }
  const minExponent = Math.min(left.exponent, right.exponent);
  const isFloor = context.rounding === "ROUND_FLOOR" && left.negative !== right.negative;
  if (isZero(left) && isZero(right)) {
    return roundToContext(numeral(isFloor || (left.negative && right.negative), 0n, minExponent), context);
  }
  if (isZero(left) || isZero(right)) {
    const other = isZero(left) ? right : left;
    const exponent = Math.max(minExponent, other.exponent - context.precision - 1);
    const shift = other.exponent - exponent;
    return roundToContext(
      numeral(other.negative, other.digits * powerOfTen(Math.max(0, shift)), other.exponent - Math.max(0, shift)),
      context,
    );
  }
  const [a, b] = align(left, right, context.precision);
  const sum = (a.negative ? -a.digits : a.digits) + (b.negative ? -b.digits : b.digits);
  if (sum === 0n) return roundToContext(numeral(isFloor, 0n, a.exponent), context);
  return roundToContext(numeral(sum < 0n, sum < 0n ? -sum : sum, a.exponent), context);
}

export const subtract: Operation = (left, right, context) =>
  isNan(right) ? add(left, right, context) : add(left, withSign(right, !right.negative), context);

export function multiply(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  const negative = left.negative !== right.negative;
  if (left.kind === "infinity" || right.kind === "infinity") {
    if (isZero(left) || isZero(right)) return signalCondition(context, "InvalidOperation", "0 * INF");
    return withSign(INFINITY, negative);
  }
  return roundToContext(
    numeral(negative, multiplyDigits(left.digits, right.digits), left.exponent + right.exponent),
    context,
  );
}

/** Returns the exact product. */
export function multiplyDigits(left: bigint, right: bigint): bigint {
  const [a, b] = [bitLength(left), bitLength(right)];
  spendBytes((a + b) / 8);
  spendSteps(10 + ((a / 64) * (b / 64)) / 4);
  return left * right;
}

export function divide(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  const negative = left.negative !== right.negative;
  if (left.kind === "infinity") {
    if (right.kind === "infinity") return signalCondition(context, "InvalidOperation", "INF / INF");
    return withSign(INFINITY, negative);
  }
  if (right.kind === "infinity")
    return roundToContext(numeral(negative, 0n, context.minExponent - context.precision + 1), context);
  if (isZero(right)) return divideByZero(left, negative, context);
  const idealExponent = left.exponent - right.exponent;
  if (isZero(left)) return roundToContext(numeral(negative, 0n, idealExponent), context);
  const shift = digitCount(right.digits) - digitCount(left.digits) + context.precision + 1;
  const scaledDividend = multiplyDigits(left.digits, powerOfTen(Math.max(0, shift)));
  const scaledDivisor = multiplyDigits(right.digits, powerOfTen(Math.max(0, -shift)));
  spendSteps(40 + ((bitLength(scaledDividend) / 64) * (bitLength(scaledDivisor) / 64)) / 4);
  let quotient = scaledDividend / scaledDivisor;
  let exponent = idealExponent - shift;
  if (quotient * scaledDivisor !== scaledDividend) {
    // A sticky digit: marks a nonzero remainder so that rounding is correct.
    if (quotient % 5n === 0n) quotient++;
  } else {
    while (exponent < idealExponent && quotient % 10n === 0n) {
      quotient /= 10n;
      exponent++;
    }
  }
  return roundToContext(numeral(negative, quotient, exponent), context);
}

function divideByZero(left: Numeral, negative: boolean, context: DecimalContext): Numeral {
  if (isZero(left)) return signalCondition(context, "InvalidOperation", "0 / 0");
  return signalCondition(context, "DivisionByZero", "x / 0", withSign(INFINITY, negative));
}

/** Returns quotient and remainder of a division that truncates towards zero, unlike that of ints. */
function divideToInteger(
  left: Numeral,
  right: Numeral,
  context: DecimalContext,
): { quotient: bigint; remainder: Numeral } {
  const minExponent = Math.min(left.exponent, right.exponent);
  if (isZero(left) || adjustedExponent(left) - adjustedExponent(right) < -1) {
    const exponent = isZero(left) ? minExponent : Math.max(minExponent, left.exponent - context.precision);
    const shift = Math.max(0, left.exponent - exponent);
    return {
      quotient: 0n,
      remainder: numeral(
        left.negative,
        left.digits * powerOfTen(shift),
        isZero(left) ? minExponent : left.exponent - shift,
      ),
    };
  }
  if (adjustedExponent(left) - adjustedExponent(right) > context.precision + 1)
    throw new PyError("InvalidOperation", "the quotient is too large");
  const scaledDividend = left.digits * powerOfTen(left.exponent - minExponent);
  const scaledDivisor = right.digits * powerOfTen(right.exponent - minExponent);
  const quotient = scaledDividend / scaledDivisor;
  if (digitCount(quotient) > context.precision) throw new PyError("InvalidOperation", "the quotient is too large");
  return { quotient, remainder: numeral(left.negative, scaledDividend - quotient * scaledDivisor, minExponent) };
}

export function floorDivide(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  const negative = left.negative !== right.negative;
  if (left.kind === "infinity") {
    if (right.kind === "infinity") return signalCondition(context, "InvalidOperation", "INF // INF");
    return withSign(INFINITY, negative);
  }
  if (isZero(right)) return divideByZero(left, negative, context);
  if (right.kind === "infinity") return numeral(negative, 0n, 0);
  return numeral(negative, divideToInteger(left, right, context).quotient, 0);
}

export function modulo(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  if (left.kind === "infinity") return signalCondition(context, "InvalidOperation", "INF % x");
  if (isZero(right)) return signalCondition(context, "InvalidOperation", isZero(left) ? "0 % 0" : "x % 0");
  if (right.kind === "infinity") return roundToContext(left, context);
  return roundToContext(divideToInteger(left, right, context).remainder, context);
}

/** Returns the remainder of the division with the nearest integer quotient. */
export function remainderNear(left: Numeral, right: Numeral, context: DecimalContext): Numeral {
  const nan = propagateNan(context, left, right);
  if (nan) return nan;
  if (left.kind === "infinity") return signalCondition(context, "InvalidOperation", "remainder_near(infinity, x)");
  if (isZero(right)) return signalCondition(context, "InvalidOperation", "remainder_near(x, 0)");
  if (right.kind === "infinity") return roundToContext(left, context);
  const { quotient, remainder } = divideToInteger(left, right, context);
  const under = right.digits * powerOfTen(Math.max(0, right.exponent - remainder.exponent));
  const isUp = remainder.digits * 2n > under || (remainder.digits * 2n === under && quotient % 2n === 1n);
  if (!isUp || right.exponent < remainder.exponent) return roundToContext(remainder, context);
  return roundToContext(numeral(!left.negative, under - remainder.digits, remainder.exponent), context);
}

/** Compares two numbers: negative, 0 or positive; undefined if one is a NaN. */
export function compareNumerals(left: Numeral, right: Numeral): number | undefined {
  if (isNan(left) || isNan(right)) return undefined;
  const sign = (value: Numeral): number => (isZero(value) ? 0 : value.negative ? -1 : 1);
  if (sign(left) !== sign(right)) return sign(left) - sign(right);
  if (sign(left) === 0) return 0;
  return sign(left) * compareMagnitudes(left, right);
}

/** Compares the magnitudes of two numbers that are neither NaN nor zero. */
export function compareMagnitudes(left: Numeral, right: Numeral): number {
  if (left.kind === "infinity" || right.kind === "infinity") {
    return Number(left.kind === "infinity") - Number(right.kind === "infinity");
  }
  const distance = adjustedExponent(left) - adjustedExponent(right);
  if (distance !== 0) return distance;
  const minExponent = Math.min(left.exponent, right.exponent);
  const a = left.digits * powerOfTen(left.exponent - minExponent);
  const b = right.digits * powerOfTen(right.exponent - minExponent);
  return a < b ? -1 : a > b ? 1 : 0;
}

import { spendBytes, spendSteps } from "../budget.ts";
import { overflowError, PyError, valueError, zeroDivision } from "../errors.ts";
import { type BinaryFloat, bitLength, intToFloat, intTooLarge, MAX_INT_BITS, decomposeFloat } from "./numbers.ts";

/** Python arithmetic on two ints or two floats. Operators dispatch by the types of their operands. */
export interface NumberOperator {
  readonly ints: (left: bigint, right: bigint) => bigint | number;
  /** Undefined for bitwise operators. */
  readonly floats: ((left: number, right: number) => number) | undefined;
}

/** Multiplication and division of ints up to this size are not charged. */
const SMALL = 1n << 64n;

/** Precomputed, because negating takes longer than the comparison. */
const MIN_SMALL = -SMALL;

const isSmall = (value: bigint): boolean => value < SMALL && value > MIN_SMALL;

function multiplyInts(left: bigint, right: bigint): bigint {
  if (!isSmall(left) || !isSmall(right)) {
    const leftBits = bitLength(left);
    const rightBits = bitLength(right);
    checkBits(leftBits + rightBits);
    chargeForProduct(leftBits, rightBits);
  }
  return left * right;
}

/** Bits of an int that can be copied, added, or formatted as hexadecimal digits per step. */
const BITS_PER_STEP = 100;

function chargeForLength(value: bigint): void {
  if (!isSmall(value)) spendSteps(bitLength(value) / BITS_PER_STEP);
}

// The sum of two large ints may be small; the sum of a small and a large int is large.
function addInts(left: bigint, right: bigint): bigint {
  const sum = left + right;
  chargeForLength(left);
  chargeForLength(sum);
  return sum;
}

function subtractInts(left: bigint, right: bigint): bigint {
  const difference = left - right;
  chargeForLength(left);
  chargeForLength(difference);
  return difference;
}

/** Long multiplication and division take time proportional to the product of both lengths. */
const chargeForProduct = (leftBits: number, rightBits: number): void =>
  spendSteps((Math.ceil(leftBits / 64) * Math.ceil(rightBits / 64)) / 16);

function checkBits(count: number): void {
  if (count > MAX_INT_BITS) throw intTooLarge();
  spendBytes(count / 8);
}

function chargeForDivision(left: bigint, right: bigint): void {
  if (isSmall(left)) return;
  const leftBits = bitLength(left);
  // The negation copies all digits.
  spendSteps(leftBits / BITS_PER_STEP);
  const rightBits = bitLength(right);
  chargeForProduct(Math.max(0, leftBits - rightBits), rightBits);
}

/** Returns the float nearest to the quotient. Throws PyError ZeroDivisionError or OverflowError. */
export function divideInts(left: bigint, right: bigint): number {
  if (right === 0n) throw zeroDivision("division by zero");
  const numerator = Number(left);
  const denominator = Number(right);
  if (Number.isSafeInteger(numerator) && Number.isSafeInteger(denominator)) return numerator / denominator;
  return divideBigInts(left, right);
}

/** Returns the float nearest to the quotient of two ints, either of which may be out of the range of floats. */
function divideBigInts(left: bigint, right: bigint): number {
  const numerator = left < 0n ? -left : left;
  const denominator = right < 0n ? -right : right;
  // 66 bits of the quotient determine the rounding if the last one is a sticky bit for the remainder.
  const shift = 66 - (bitLength(numerator) - bitLength(denominator));
  chargeForProduct(bitLength(numerator) + Math.max(0, shift), bitLength(denominator));
  const scaledNumerator = shift > 0 ? numerator << BigInt(shift) : numerator;
  const scaledDenominator = shift < 0 ? denominator << BigInt(-shift) : denominator;
  const quotient = scaledNumerator / scaledDenominator;
  const exact = quotient * scaledDenominator === scaledNumerator;
  const float = scaleFloat(Number(exact ? quotient : quotient | 1n), -shift);
  if (!Number.isFinite(float)) throw overflowError("integer division result too large for a float");
  return left < 0n === right < 0n ? float : -float;
}

/**
 * Returns `value * 2^exponent`. Scales in several multiplications, since the power may be out of range where the
 * product is not.
 */
function scaleFloat(value: number, exponent: number): number {
  let scaled = value;
  let remainingExponent = exponent;
  while (remainingExponent !== 0 && scaled !== 0 && Number.isFinite(scaled)) {
    const step = Math.max(-1000, Math.min(1000, remainingExponent));
    scaled *= 2 ** step;
    remainingExponent -= step;
  }
  return scaled;
}

function floorDivideInts(left: bigint, right: bigint): bigint {
  if (right === 0n) throw zeroDivision("integer division or modulo by zero");
  chargeForDivision(left, right);
  const quotient = left / right;
  const inexact = quotient * right !== left;
  return inexact && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

function moduloInts(left: bigint, right: bigint): bigint {
  if (right === 0n) throw zeroDivision("integer division or modulo by zero");
  chargeForDivision(left, right);
  const remainder = left % right;
  return remainder !== 0n && remainder < 0n !== right < 0n ? remainder + right : remainder;
}

const withSignOf = (zero: number, sign: number): number => (sign < 0 || Object.is(sign, -0) ? -zero : zero);

export function moduloFloats(left: number, right: number): number {
  if (right === 0) throw zeroDivision("float modulo");
  const remainder = left % right;
  if (remainder === 0) return withSignOf(0, right);
  return remainder < 0 !== right < 0 ? remainder + right : remainder;
}

export function floorDivideFloats(left: number, right: number): number {
  if (right === 0) throw zeroDivision("float floor division by zero");
  const remainder = left % right;
  let quotient = (left - remainder) / right;
  if (remainder !== 0 && remainder < 0 !== right < 0) quotient -= 1;
  if (quotient === 0) return withSignOf(0, left / right);
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

function powerInts(base: bigint, exponent: bigint): bigint | number {
  if (exponent < 0n) return powerFloats(intToFloat(base), intToFloat(exponent));
  const small = base >= -1n && base <= 1n;
  if (small) return exponent === 0n || (base === -1n && exponent % 2n === 0n) ? 1n : base;
  const baseBits = bitLength(base);
  const size = baseBits * Number(exponent);
  // A lower bound of the result's bits.
  if ((baseBits - 1) * Number(exponent) > MAX_INT_BITS) throw intTooLarge();
  spendBytes(size / 8);
  chargeForProduct(size, size);
  return base ** exponent;
}

export function powerFloats(base: number, exponent: number): number {
  // JavaScript returns NaN for these; Python returns 1.
  if (base === 1 || exponent === 0) return 1;
  if (base === -1 && !Number.isFinite(exponent) && !Number.isNaN(exponent)) return 1;
  if (base === 0 && exponent < 0) throw zeroDivision("0.0 cannot be raised to a negative power");
  const finite = Number.isFinite(base) && Number.isFinite(exponent);
  if (finite && base < 0 && !Number.isInteger(exponent)) throw valueError("math domain error");
  const result = finite ? finitePower(base, exponent) : base ** exponent;
  if (finite && !Number.isFinite(result)) {
    throw new PyError("OverflowError", "Numerical result out of range", {
      args: [34n, "Numerical result out of range"],
    });
  }
  return result;
}

function finitePower(base: number, exponent: number): number {
  if (exponent === -0.5 && base > 0) return inverseSquareRoot(base);
  return usesRepeatedMultiplication(exponent) ? powerOfFloat(base, exponent) : base ** exponent;
}

/** Returns `base ** -0.5`: the JavaScript engine rounds the root before it divides. */
function inverseSquareRoot(base: number): number {
  const { mantissa, exponent } = decomposeFloat(base);
  const isOdd = exponent % 2 !== 0;
  let root = 1n << 103n;
  const square = (1n << 206n) / (isOdd ? mantissa * 2n : mantissa);
  for (;;) {
    const next = (root + square / root) >> 1n;
    if (next >= root) break;
    root = next;
  }
  return scaleFloat(Number(root), -103 - (isOdd ? exponent - 1 : exponent) / 2);
}

/** For such exponents the JavaScript engine multiplies repeatedly and rounds each time; C does not. */
const usesRepeatedMultiplication = (exponent: number): boolean =>
  Number.isInteger(exponent) && exponent > 2 && exponent <= 1000;

const WORKING_BITS = 128;

/** Returns `base ** exponent` for a finite base, with enough working bits that only the result is rounded. */
function powerOfFloat(base: number, exponent: number): number {
  const start = decomposeFloat(Math.abs(base));
  if (start.mantissa === 0n) return base ** exponent;
  let power = { mantissa: 1n, exponent: 0 };
  let square = start;
  for (let remainingExponent = exponent; remainingExponent > 0; remainingExponent = Math.floor(remainingExponent / 2)) {
    if (remainingExponent % 2 === 1) power = multiplyFloats(power, square);
    square = multiplyFloats(square, square);
  }
  const size = scaleFloat(Number(power.mantissa), power.exponent);
  return base < 0 && exponent % 2 === 1 ? -size : size;
}

function multiplyFloats(left: BinaryFloat, right: BinaryFloat): BinaryFloat {
  const mantissa = left.mantissa * right.mantissa;
  const excess = BigInt(Math.max(0, bitLength(mantissa) - WORKING_BITS));
  return { mantissa: mantissa >> excess, exponent: left.exponent + right.exponent + Number(excess) };
}

function shiftLeft(left: bigint, right: bigint): bigint {
  if (right < 0n) throw valueError("negative shift count");
  if (left === 0n) return 0n;
  checkBits(bitLength(left) + Number(right));
  return left << right;
}

function shiftRight(left: bigint, right: bigint): bigint {
  if (right < 0n) throw valueError("negative shift count");
  return right > MAX_INT_BITS ? (left < 0n ? -1n : 0n) : left >> right;
}

export const ADD: NumberOperator = { ints: addInts, floats: (left, right) => left + right };
export const SUBTRACT: NumberOperator = { ints: subtractInts, floats: (left, right) => left - right };
export const MULTIPLY: NumberOperator = { ints: multiplyInts, floats: (left, right) => left * right };
export const DIVIDE: NumberOperator = {
  ints: divideInts,
  floats(left, right) {
    if (right === 0) throw zeroDivision("float division by zero");
    return left / right;
  },
};
export const FLOOR_DIVIDE: NumberOperator = { ints: floorDivideInts, floats: floorDivideFloats };
export const MODULO: NumberOperator = { ints: moduloInts, floats: moduloFloats };
export const POWER: NumberOperator = { ints: powerInts, floats: powerFloats };
export const SHIFT_LEFT: NumberOperator = { ints: shiftLeft, floats: undefined };
export const SHIFT_RIGHT: NumberOperator = { ints: shiftRight, floats: undefined };
export const BIT_AND: NumberOperator = { ints: (left, right) => left & right, floats: undefined };
export const BIT_OR: NumberOperator = { ints: (left, right) => left | right, floats: undefined };
export const BIT_XOR: NumberOperator = { ints: (left, right) => left ^ right, floats: undefined };

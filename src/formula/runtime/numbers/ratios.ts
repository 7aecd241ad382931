import { spendSteps } from "../budget.ts";
import { zeroDivision } from "../errors.ts";
import { divideInts } from "./arithmetic.ts";
import { floatRatio } from "../../methods/number-methods.ts";
import { bitLength, integerSquareRoot } from "./numbers.ts";

/** An exact fraction in lowest terms; `denominator` is positive. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Returns a ratio in lowest terms. Throws PyError ZeroDivisionError. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (denominator === 0n) throw zeroDivision(`Fraction(${numerator}, 0)`);
  const divisor = greatestCommonDivisor(numerator, denominator);
  const sign = denominator < 0n ? -1n : 1n;
  return { numerator: (sign * numerator) / divisor, denominator: (sign * denominator) / divisor };
}

/** Returns the non-negative greatest common divisor. */
export function greatestCommonDivisor(left: bigint, right: bigint): bigint {
  let a = left < 0n ? -left : left;
  let b = right < 0n ? -right : right;
  while (b !== 0n) {
    spendSteps(4 + bitLength(b) / 64);
    [a, b] = [b, a % b];
  }
  return a;
}

/** Returns a number's exact value as a fraction. Throws PyError for NaN and infinities. */
export function ratioOf(value: bigint | number): Ratio {
  if (typeof value === "bigint") return { numerator: value, denominator: 1n };
  const [numerator, denominator] = floatRatio(value);
  return { numerator, denominator };
}

export const addRatios = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);
export const subtractRatios = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);
export const multiplyRatios = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.numerator, a.denominator * b.denominator);
export const divideRatios = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.numerator * b.denominator, a.denominator * b.numerator);

/** Compares two ratios: negative, 0 or positive. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const left = a.numerator * b.denominator;
  const right = b.numerator * a.denominator;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns the nearest float. Throws PyError OverflowError. */
export const ratioToFloat = ({ numerator, denominator }: Ratio): number => divideInts(numerator, denominator);

/** Returns the largest int that is not above the ratio. */
export function floorRatio({ numerator, denominator }: Ratio): bigint {
  const quotient = numerator / denominator;
  return numerator < 0n && quotient * denominator !== numerator ? quotient - 1n : quotient;
}

/** Returns the float nearest to the square root of a non-negative ratio. */
export function squareRootOfRatio({ numerator, denominator }: Ratio): number {
  if (numerator === 0n) return 0;
  // Enough working bits that only the last step rounds.
  const shift = Math.max(0, 160 - (bitLength(numerator) - bitLength(denominator)));
  const even = BigInt(shift + (shift % 2));
  const square = (numerator << even) / denominator;
  const squareRoot = integerSquareRoot(square);
  const sticky = squareRoot * squareRoot === square ? 0n : 1n;
  return divideInts((squareRoot << 1n) | sticky, 1n << (even / 2n + 1n));
}

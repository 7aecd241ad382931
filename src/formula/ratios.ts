import { spendSteps } from "./budget.ts";
import { zeroDivision } from "./errors.ts";
import { divideInts } from "./arithmetic.ts";
import { floatRatio } from "./methods/number-methods.ts";
import { bitLength, intRoot } from "./numbers.ts";

/** An exact fraction in lowest terms; `under` is positive. */
export interface Ratio {
  readonly over: bigint;
  readonly under: bigint;
}

/** Throws PyError ZeroDivisionError. */
export function ratio(over: bigint, under: bigint): Ratio {
  if (under === 0n) throw zeroDivision(`Fraction(${over}, 0)`);
  const divisor = greatestDivisor(over, under);
  const sign = under < 0n ? -1n : 1n;
  return { over: (sign * over) / divisor, under: (sign * under) / divisor };
}

/** The greatest common divisor, not negative. */
export function greatestDivisor(left: bigint, right: bigint): bigint {
  let a = left < 0n ? -left : left;
  let b = right < 0n ? -right : right;
  while (b !== 0n) {
    spendSteps(4 + bitLength(b) / 64);
    [a, b] = [b, a % b];
  }
  return a;
}

/** A number as the fraction it is exactly. Throws PyError for NaN and infinities. */
export function ratioOf(value: bigint | number): Ratio {
  if (typeof value === "bigint") return { over: value, under: 1n };
  const [over, under] = floatRatio(value);
  return { over, under };
}

export const addRatios = (a: Ratio, b: Ratio): Ratio => ratio(a.over * b.under + b.over * a.under, a.under * b.under);
export const subtractRatios = (a: Ratio, b: Ratio): Ratio =>
  ratio(a.over * b.under - b.over * a.under, a.under * b.under);
export const multiplyRatios = (a: Ratio, b: Ratio): Ratio => ratio(a.over * b.over, a.under * b.under);
export const divideRatios = (a: Ratio, b: Ratio): Ratio => ratio(a.over * b.under, a.under * b.over);

/** Negative, 0 or positive. */
export function compareRatios(a: Ratio, b: Ratio): number {
  const left = a.over * b.under;
  const right = b.over * a.under;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The nearest float. Throws PyError OverflowError. */
export const ratioToFloat = ({ over, under }: Ratio): number => divideInts(over, under);

/** The largest int that is not above it. */
export function floorRatio({ over, under }: Ratio): bigint {
  const quotient = over / under;
  return over < 0n && quotient * under !== over ? quotient - 1n : quotient;
}

/** The float nearest to the root of a ratio that is not negative. */
export function rootOfRatio({ over, under }: Ratio): number {
  if (over === 0n) return 0;
  // So many bits that only the last step rounds.
  const shift = Math.max(0, 160 - (bitLength(over) - bitLength(under)));
  const even = BigInt(shift + (shift % 2));
  const square = (over << even) / under;
  const root = intRoot(square);
  const sticky = root * root === square ? 0n : 1n;
  return divideInts((root << 1n) | sticky, 1n << (even / 2n + 1n));
}

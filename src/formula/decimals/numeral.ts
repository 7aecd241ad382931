import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { bitLength, intTooLarge } from "../runtime/numbers/numbers.ts";

/**
 * A decimal number, verbatim: `(-1)^negative * digits * 10^exponent`. Trailing zeros are significant, and zero has a
 * sign.
 */
export interface Numeral {
  readonly kind: "finite" | "infinity" | "nan" | "snan";
  readonly negative: boolean;
  /** Not negative. 0 for infinities and NaN. */
  readonly digits: bigint;
  readonly exponent: number;
}

export const numeral = (negative: boolean, digits: bigint, exponent: number): Numeral => ({
  kind: "finite",
  negative,
  digits,
  exponent,
});

export const INFINITY: Numeral = { kind: "infinity", negative: false, digits: 0n, exponent: 0 };
export const NAN: Numeral = { kind: "nan", negative: false, digits: 0n, exponent: 0 };

export const withSign = (value: Numeral, negative: boolean): Numeral => ({ ...value, negative });

export const isNan = ({ kind }: Numeral): boolean => kind === "nan" || kind === "snan";
export const isZero = ({ kind, digits }: Numeral): boolean => kind === "finite" && digits === 0n;

/** More digits are never needed and would be slow. */
const MAX_DIGITS = 100_000;

/** Returns `10^exponent`. Throws PyError MemoryError for extreme exponents. */
export function powerOfTen(exponent: number): bigint {
  if (exponent > MAX_DIGITS) throw intTooLarge();
  spendBytes(exponent / 2);
  spendSteps((exponent / 100) ** 2 / 16);
  return 10n ** BigInt(exponent);
}

/** Returns the number of digits of an int; 1 for zero. */
export function digitCount(value: bigint): number {
  spendSteps(5);
  if (value < 1_000_000_000_000_000n) return value.toString().length;
  const bits = bitLength(value);
  if (bits > MAX_DIGITS * 3.33) throw intTooLarge();
  spendSteps((bits / 512) ** 2);
  return value.toString().length;
}

/** Returns the exponent of the first digit. */
export const adjustedExponent = ({ digits, exponent }: Numeral): number => exponent + digitCount(digits) - 1;

/** Formats a number, with an exponent where that is shorter. */
export function writeNumeral({ kind, negative, digits, exponent }: Numeral, isEngineering = false): string {
  const sign = negative ? "-" : "";
  if (kind !== "finite") return sign + { infinity: "Infinity", nan: "NaN", snan: "sNaN" }[kind];
  spendBytes(digitCount(digits) * 2);
  const text = digits.toString();
  const left = exponent + text.length;
  const point = pointPosition(left, exponent, isEngineering, digits === 0n);
  const whole = point <= 0 ? "0" : text.slice(0, point).padEnd(point, "0");
  const rest = point <= 0 ? "0".repeat(-point) + text : text.slice(point);
  const power = left === point ? "" : `E${left - point < 0 ? "-" : "+"}${Math.abs(left - point)}`;
  return sign + whole + (rest === "" ? "" : `.${rest}`) + power;
}

/** Returns the number of digits before the point; in engineering notation the exponent is a multiple of three. */
function pointPosition(left: number, exponent: number, isEngineering: boolean, isNought: boolean): number {
  if (exponent <= 0 && left > -6) return left;
  if (!isEngineering) return 1;
  const rest = (value: number): number => ((value % 3) + 3) % 3;
  return isNought ? rest(left + 1) - 1 : rest(left - 1) + 1;
}

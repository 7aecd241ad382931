import { spendSteps } from "../budget.ts";
import { overflowError, PyError, valueError } from "../errors.ts";
import { MAX_INT_DIGITS } from "../../parser/literals.ts";
import { trimText } from "../text/text.ts";

/** Conversion of Python ints and floats from and to strings, and exact rounding. */

/** The JavaScript engine throws for ints of more than 2^20 bits or so; CPython is limited by memory only. */
export const MAX_INT_BITS = 1_000_000;

const SMALL = 1n << 53n;

/** Returns the number of bits of an int's absolute value. */
export function bitLength(value: bigint): number {
  const size = value < 0n ? -value : value;
  if (size < SMALL) return size === 0n ? 0 : Math.floor(Math.log2(Number(size))) + 1;
  const hex = size.toString(16);
  return hex.length * 4 - Math.clz32(Number.parseInt(hex.charAt(0), 16)) + 28;
}

/**
 * Returns `float(value)` of an int, rounded to nearest. Throws PyError OverflowError if it is out of the range of
 * floats.
 */
export function intToFloat(value: bigint): number {
  const float = Number(value);
  if (!Number.isFinite(float)) throw overflowError("int too large to convert to float");
  return float;
}

/** Returns `int(value)` of a float, truncated towards zero. */
export function floatToInt(value: number): bigint {
  if (Number.isNaN(value)) throw valueError("cannot convert float NaN to integer");
  if (!Number.isFinite(value)) throw overflowError("cannot convert float infinity to integer");
  return BigInt(Math.trunc(value));
}

export function writeInt(value: bigint): string {
  const bits = bitLength(value);
  if (bits > 64) {
    // log10(2) is slightly more than 0.301.
    if (bits * 0.3010299 > MAX_INT_DIGITS)
      throw valueError(`Exceeds the limit (${MAX_INT_DIGITS} digits) for integer string conversion`);
    spendSteps(bits / 16);
  }
  return value.toString();
}

/** Returns the shortest text that parses as the same float: `1.0`, `1e+16`, `nan`. */
export function writeFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  const size = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    const [digits = "", exponent = ""] = size.toExponential().split("e");
    return sign + digits + writeExponent(Number(exponent));
  }
  const text = size.toString();
  // JavaScript uses exponents below 1e-6, but those are handled above.
  return sign + (text.includes(".") ? text : `${text}.0`);
}

/** `e+05` */
export const writeExponent = (exponent: number): string =>
  `e${exponent < 0 ? "-" : "+"}${Math.abs(exponent).toString().padStart(2, "0")}`;

const FLOAT_TEXT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;

/** Returns `float(text)`. Throws PyError ValueError. */
export function parseFloatText(text: string): number {
  const plain = normalizeDigits(trimText(text));
  if (plain === undefined || !FLOAT_TEXT.test(plain)) throw valueError(`could not convert string to float: '${text}'`);
  if (/n/i.test(plain)) return /nan/i.test(plain) ? Number.NaN : plain.startsWith("-") ? -Infinity : Infinity;
  return Number(plain);
}

/** Returns `int(text, base)`; base 0 derives the base from the prefix. Throws PyError ValueError. */
export function parseIntText(text: string, base = 10): bigint {
  const invalidLiteral = () => valueError(`invalid literal for int() with base ${base}: '${text}'`);
  const plain = normalizeDigits(trimText(text), true);
  const [, sign, letter, unprefixed = ""] = /^([+-]?)(?:0([xob])_?)?([\da-z_]*)$/i.exec(plain ?? "") ?? [];
  if (plain === undefined || unprefixed === undefined) throw invalidLiteral();
  const prefixBase = PREFIX_BASES.get(letter?.toLowerCase() ?? "");
  const usesPrefix = prefixBase !== undefined && (base === 0 || base === prefixBase);
  const digits = usesPrefix ? unprefixed : /^[+-]?(.*)$/.exec(plain)?.[1];
  const value = digits && parseDigits(digits, usesPrefix ? prefixBase : base || 10);
  const leadingZero = base === 0 && !usesPrefix && /^0+[1-9]/.test(digits ?? "");
  if (typeof value !== "bigint" || leadingZero) throw invalidLiteral();
  return sign === "-" ? -value : value;
}

const PREFIX_BASES: ReadonlyMap<string, number> = new Map([
  ["x", 16],
  ["o", 8],
  ["b", 2],
]);

const NATIVE_PREFIX: ReadonlyMap<number, string> = new Map([
  [16, "0x"],
  [10, ""],
  [8, "0o"],
  [2, "0b"],
]);

function parseDigits(digits: string, base: number): bigint | undefined {
  if (digits.length > MAX_INT_DIGITS)
    throw valueError(`Exceeds the limit (${MAX_INT_DIGITS} digits) for integer string conversion`);
  // The JavaScript engine parses digits in quadratic time.
  spendSteps(digits.length * 2 + (digits.length / 64) ** 2);
  for (const digit of digits) {
    if (!(Number.parseInt(digit, 36) < base)) return undefined;
  }
  const prefix = NATIVE_PREFIX.get(base);
  if (prefix !== undefined) return BigInt(prefix + digits);
  let value = 0n;
  for (const digit of digits) value = value * BigInt(base) + BigInt(Number.parseInt(digit, 36));
  return value;
}

/**
 * Removes underscores between digits and replaces digits of other scripts; returns undefined for misplaced underscores.
 */
function normalizeDigits(text: string, letters = false): string | undefined {
  const between = letters ? /([\da-z])_(?=[\da-z])/gi : /(\d)_(?=\d)/g;
  spendSteps(10 + text.length / 2);
  const digits = /[^\0-\x7f]/.test(text) ? text.replace(/\p{Nd}/gu, digitValue) : text;
  const plain = digits.includes("_") ? digits.replace(between, "$1") : digits;
  return plain.includes("_") ? undefined : plain;
}

function digitValue(digit: string): string {
  if (digit >= "0" && digit <= "9") return digit;
  // Decimal digits come in runs of ten, each starting with its zero; five runs of mathematical digits are adjacent.
  let value = 0;
  const code = digit.codePointAt(0) ?? 0;
  if (code >= 0x1d7ce && code <= 0x1d7ff) return ((code - 0x1d7ce) % 10).toString();
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value.toString();
}

/**
 * Returns `|value| * 10^places`, rounded half to even by the float's exact value. `value` is finite; `places` may be
 * negative.
 */
export function scaledDigits(value: number, places: number): bigint {
  chargeForDigits(value, places);
  const { mantissa, exponent } = decomposeFloat(Math.abs(value));
  let numerator = places > 0 ? mantissa * 10n ** BigInt(places) : mantissa;
  let denominator = places < 0 ? 10n ** BigInt(-places) : 1n;
  if (exponent > 0) numerator <<= BigInt(exponent);
  else denominator <<= BigInt(-exponent);
  return divideHalfEven(numerator, denominator);
}

const chargeForDigits = (value: number, places: number): void =>
  spendSteps(Math.abs(places) + Math.abs(exponentOf(value)));

/**
 * Returns what `scaledDigits` returns where a multiplication of floats is precise enough to know it; undefined for large
 * numbers and for numbers about halfway between two results.
 */
function fastDigits(size: number, places: number): number | undefined {
  const scaled = size * 10 ** places;
  if (!(places >= 0 && places < 16 && scaled < 2 ** 40)) return undefined;
  const whole = Math.floor(scaled);
  const fraction = scaled - whole;
  // The product is off by less than 2^-13.
  if (Math.abs(fraction - 0.5) < 0.001) return undefined;
  chargeForDigits(size, places);
  return fraction > 0.5 ? whole + 1 : whole;
}

/**
 * Returns a finite, non-negative float with so many decimal places, rounded half to even by its exact value: `2.50`.
 */
export function fixedDigits(size: number, places: number): string {
  const digits = String(fastDigits(size, places) ?? scaledDigits(size, places)).padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  return places > 0 ? `${whole}.${digits.slice(digits.length - places)}` : whole;
}

/** Returns `numerator / denominator`, both positive, rounded half to even. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const doubledRemainder = (numerator - quotient * denominator) * 2n;
  const up = doubledRemainder > denominator || (doubledRemainder === denominator && quotient % 2n === 1n);
  return up ? quotient + 1n : quotient;
}

const bits = new DataView(new ArrayBuffer(8));

/** `mantissa * 2^exponent` */
export interface BinaryFloat {
  readonly mantissa: bigint;
  readonly exponent: number;
}

/** Returns the exact mantissa and exponent of a finite, non-negative float. */
export function decomposeFloat(value: number): BinaryFloat {
  bits.setFloat64(0, value);
  const raw = bits.getBigUint64(0);
  const biased = Number(raw >> 52n);
  const fraction = raw & ((1n << 52n) - 1n);
  if (biased === 0) return { mantissa: fraction, exponent: -1074 };
  return { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** Returns the exponent that `decomposeFloat` returns. */
function exponentOf(value: number): number {
  bits.setFloat64(0, value);
  const biased = (bits.getUint16(0) >> 4) & 0x7ff;
  return biased === 0 ? -1074 : biased - 1075;
}

/** Returns `round(value, places)` of a float. */
export function roundFloat(value: number, places: number): number {
  // Above the precision of a float, the value is unchanged; below its magnitude, the result is zero.
  if (!Number.isFinite(value) || places > 323) return value;
  if (places < -308) return value < 0 || Object.is(value, -0) ? -0 : 0;
  const size = Math.abs(value);
  const digits = fastDigits(size, places);
  // A quotient of two exact floats is rounded once, like the text.
  const rounded = digits === undefined ? Number(`${scaledDigits(size, places)}e${-places}`) : digits / 10 ** places;
  if (!Number.isFinite(rounded)) throw overflowError("rounded value too large to represent");
  return value < 0 || Object.is(value, -0) ? -rounded : rounded;
}

/** Returns `round(value, places)` of an int. */
export function roundInt(value: bigint, places: number): bigint {
  if (places >= 0) return value;
  // An int of n bits has at most 0.302 n + 1 digits.
  if (-places > bitLength(value) * 0.302 + 2) return 0n;
  const unit = 10n ** BigInt(-places);
  const rounded = divideHalfEven(value < 0n ? -value : value, unit) * unit;
  return value < 0n ? -rounded : rounded;
}

/** Returns the error for an int that exceeds the limit, ours or the JavaScript engine's. */
export const intTooLarge = (): PyError =>
  new PyError("MemoryError", "the number has too many digits", { catchable: false });

/** Returns the integer square root of a non-negative int, rounded down. */
export function integerSquareRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(bitLength(value) / 2));
  for (;;) {
    spendSteps(10 + (bitLength(value) / 64) ** 2 / 4);
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

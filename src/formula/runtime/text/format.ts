import { BoundedCache } from "../../../lib/bounded-cache.ts";
import { spendBytes, spendSteps } from "../budget.ts";
import { notSupported, overflowError, typeError, valueError } from "../errors.ts";
import {
  bitLength,
  fixedDigits,
  intToFloat,
  scaledDigits,
  writeExponent,
  writeFloat,
  writeInt,
} from "../numbers/numbers.ts";
import { sliceText, textLength } from "./text.ts";
import { PyObject, pyStr, type PyValue, typeName } from "../values.ts";

/** Python format specifications: `format(value, spec)` and the part after the colon in f-strings. */

interface Spec {
  readonly fill: string | undefined;
  readonly align: string | undefined;
  readonly sign: string;
  /** `z`: a negative zero loses its sign. */
  readonly coercesNegativeZero: boolean;
  readonly alternate: boolean;
  /** A `0` before the width. */
  readonly zeroPadded: boolean;
  readonly width: number;
  readonly groupSeparator: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/su;

const INT_TYPES = "bcdoxX";
const FLOAT_TYPES = "eEfFgG%";

/** Returns `format(value, spec)`. Throws PyError. */
export function formatValue(value: PyValue, specText: string): string {
  if (specText === "") return pyStr(value);
  if (value === null || value instanceof PyObject) {
    const formatted = value?.formatted(specText);
    if (formatted !== undefined) return formatted;
    if (value?.hasOperators) throw notSupported(`formats of ${typeName(value)} values`);
    throw typeError(`unsupported format string passed to ${typeName(value)}.__format__`);
  }
  const spec = parseSpec(specText, typeName(value));
  if (typeof value === "string") return formatText(value, spec);
  return formatNumber(typeof value === "boolean" ? BigInt(value) : value, spec, typeName(value));
}

/** Formulas format many cells by the same specification. */
const parsedSpecs = new BoundedCache<string, Spec | null>({ maxEntries: 1000, maxKeyLength: 100 });

function parseSpec(text: string, kind: string): Spec {
  const spec = parsedSpecs.get(text, parseSpecText);
  if (!spec) throw valueError(`Invalid format specifier '${text}' for object of type '${kind}'`);
  return spec;
}

function parseSpecText(text: string): Spec | null {
  const parts = SPEC.exec(text);
  if (!parts) return null;
  const [
    ,
    fill,
    align,
    sign = "",
    plainZero,
    alternate,
    zeros,
    width = "0",
    groupSeparator = "",
    precision,
    type = "",
  ] = parts;
  if (width.length > 9 || (precision ?? "").length > 9) throw valueError("Too many decimal digits in format string");
  return {
    fill,
    align,
    sign,
    coercesNegativeZero: plainZero !== undefined,
    alternate: alternate !== undefined,
    zeroPadded: zeros !== undefined,
    width: Number(width),
    groupSeparator,
    precision: precision === undefined ? undefined : Number(precision),
    type,
  };
}

const unknownFormatCode = (type: string, kind: string) =>
  valueError(`Unknown format code '${type}' for object of type '${kind}'`);

function formatText(text: string, spec: Spec): string {
  if (spec.type !== "" && spec.type !== "s") throw unknownFormatCode(spec.type, "str");
  if (spec.sign || spec.alternate || spec.groupSeparator || spec.coercesNegativeZero) {
    throw valueError("the format is not allowed with texts");
  }
  if (spec.align === "=") throw valueError("'=' alignment not allowed in string format specifier");
  const cut = spec.precision === undefined ? text : sliceText(text, 0, spec.precision);
  return pad(cut, { ...spec, align: spec.align ?? "<", fill: spec.fill ?? (spec.zeroPadded ? "0" : " ") });
}

function formatNumber(value: bigint | number, requestedSpec: Spec, kind: string): string {
  // Python's default locale has a decimal point and no grouping.
  const isLocal = requestedSpec.type === "n";
  if (isLocal && requestedSpec.groupSeparator)
    throw valueError(`Cannot specify '${requestedSpec.groupSeparator}' with 'n'.`);
  const spec = isLocal ? { ...requestedSpec, type: typeof value === "bigint" ? "d" : "g" } : requestedSpec;
  const { type } = spec;
  const asInt = typeof value === "bigint" && (type === "" || INT_TYPES.includes(type));
  if (!asInt && type !== "" && !FLOAT_TYPES.includes(type)) throw unknownFormatCode(type, kind);
  if (asInt && spec.coercesNegativeZero)
    throw valueError("Negative zero coercion (z) not allowed in format specifier with integer format code");
  if (asInt) return type === "c" ? formatCharacter(value, spec) : formatInt(value, spec);
  return formatFloat(typeof value === "bigint" ? intToFloat(value) : value, spec);
}

function formatCharacter(value: bigint, spec: Spec): string {
  if (spec.sign) throw valueError("Sign not allowed with integer format specifier 'c'");
  if (spec.precision !== undefined || spec.groupSeparator || spec.alternate)
    throw valueError("the format is not allowed with 'c'");
  if (value < 0n || value > 0x10ffffn) throw overflowError("%c arg not in range(0x110000)");
  const align = spec.align === "=" ? ">" : (spec.align ?? ">");
  return pad(String.fromCodePoint(Number(value)), { ...spec, align, fill: spec.fill ?? (spec.zeroPadded ? "0" : " ") });
}

const RADIX: ReadonlyMap<string, number> = new Map([
  ["b", 2],
  ["o", 8],
  ["x", 16],
  ["X", 16],
]);

function formatInt(value: bigint, spec: Spec): string {
  if (spec.precision !== undefined) throw valueError("Precision not allowed in integer format specifier");
  const radix = RADIX.get(spec.type);
  if (radix !== undefined && spec.groupSeparator === ",") throw valueError(`Cannot specify ',' with '${spec.type}'.`);
  const size = value < 0n ? -value : value;
  spendSteps(bitLength(size) / 16);
  const digits = radix === undefined ? writeInt(size) : size.toString(radix);
  const prefix = radix !== undefined && spec.alternate ? `0${spec.type}` : "";
  const grouped = { digits: spec.type === "X" ? digits.toUpperCase() : digits, tail: "" };
  return assemble(signOf(value < 0n, spec) + prefix, grouped, spec, radix === undefined ? 3 : 4);
}

function formatFloat(value: number, spec: Spec): string {
  const text = Number.isFinite(value) ? writeWithType(Math.abs(value), spec) : writeFloat(Math.abs(value));
  const isZero = spec.coercesNegativeZero && !/[1-9a-df-z]/.test(text.replace(/e.*/, ""));
  const negative = (value < 0 || Object.is(value, -0)) && !isZero;
  const upper = spec.type !== "" && "EFG".includes(spec.type);
  const tail = spec.type === "%" ? "%" : "";
  const cased = upper ? text.toUpperCase() : text;
  const end = endOfDigits(cased);
  return assemble(signOf(negative, spec), { digits: cased.slice(0, end), tail: cased.slice(end) + tail }, spec, 3);
}

/** Returns the index of the first character that is not a digit. */
function endOfDigits(text: string): number {
  let end = 0;
  while (end < text.length && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++;
  return end;
}

/**
 * Returns `format(complex, spec)`: both parts use the format, the imaginary one with a sign; the whole is padded to the
 * width.
 */
export function formatComplex(real: number, imag: number, specText: string): string {
  const requestedSpec = parseSpec(specText, "complex");
  if (requestedSpec.type !== "" && !"eEfFgGn".includes(requestedSpec.type))
    throw unknownFormatCode(requestedSpec.type, "complex");
  if ((requestedSpec.fill ?? (requestedSpec.zeroPadded ? "0" : "")) === "0")
    throw valueError("Zero padding is not allowed in complex format specifier");
  if (requestedSpec.align === "=") throw valueError("'=' alignment flag is not allowed in complex format specifier");
  if (requestedSpec.type === "n" && requestedSpec.groupSeparator)
    throw valueError(`Cannot specify '${requestedSpec.groupSeparator}' with 'n'.`);
  const isPlain = requestedSpec.type === "" && requestedSpec.precision === undefined;
  const type = requestedSpec.type === "n" || (requestedSpec.type === "" && !isPlain) ? "g" : requestedSpec.type;
  const spec = { ...requestedSpec, type, width: 0, align: undefined, fill: undefined };
  const write = (part: number, sign: string): string => {
    const text = formatFloat(part, { ...spec, sign });
    return isPlain ? text.replace(/\.0$/, requestedSpec.alternate ? "." : "") : text;
  };
  const isShort = requestedSpec.type === "" && real === 0 && !Object.is(real, -0);
  const text = isShort ? write(imag, spec.sign) : write(real, spec.sign) + write(imag, "+");
  const whole = requestedSpec.type === "" && !isShort ? `(${text}j)` : `${text}j`;
  return pad(whole, { ...requestedSpec, align: requestedSpec.align ?? ">" });
}

function writeWithType(size: number, spec: Spec): string {
  const places = spec.precision ?? 6;
  spendBytes(places * 4);
  switch (spec.type) {
    case "e":
    case "E":
      return writeScientific(size, places, spec.alternate);
    case "f":
    case "F":
      return writeFixed(size, places, spec.alternate);
    case "%":
      return writeFixed(size * 100, places, spec.alternate);
    case "g":
    case "G":
      return writeGeneral(size, spec.precision ?? 6, { keepZeros: spec.alternate });
    default:
      if (spec.precision === undefined) return spec.alternate ? ensurePoint(writeFloat(size)) : writeFloat(size);
      return writeGeneral(size, spec.precision, { keepZeros: spec.alternate, keepPoint: true });
  }
}

const ensurePoint = (text: string): string => (text.includes(".") ? text : text.replace("e", ".e"));

/** Formats a finite, non-negative number with a fixed number of decimal places: `2.50`. */
export function writeFixed(size: number, places: number, keepPoint = false): string {
  if (!Number.isFinite(size)) return writeFloat(size);
  const digits = fixedDigits(size, places);
  return places === 0 && keepPoint ? `${digits}.` : digits;
}

function writeScientific(size: number, places: number, keepPoint = false): string {
  const { digits, exponent } = significantDigits(size, places + 1);
  const point = places > 0 || keepPoint ? "." : "";
  return digits.charAt(0) + point + digits.slice(1) + writeExponent(exponent);
}

/**
 * Formats like C's `%g`: a number of significant digits, with an exponent where that is shorter. `keepPoint` marks
 * floats, as in `2.0`.
 */
export function writeGeneral(
  size: number,
  precision: number,
  options: { keepZeros?: boolean; keepPoint?: boolean } = {},
): string {
  const count = Math.max(1, precision);
  const { digits, exponent } = significantDigits(size, count);
  const significant = options.keepZeros ? digits : digits.replace(/0+$/, "") || "0";
  if (exponent < -4 || exponent >= count - (options.keepPoint ? 1 : 0)) {
    const fraction = significant.slice(1);
    const point = fraction !== "" || options.keepZeros ? "." : "";
    return (significant.charAt(0) || "0") + point + fraction + writeExponent(exponent);
  }
  const places = exponent < 0 ? `${"0".repeat(-exponent - 1)}${significant}` : significant.slice(exponent + 1);
  const whole = exponent < 0 ? "0" : significant.slice(0, exponent + 1).padEnd(exponent + 1, "0");
  if (places !== "") return `${whole}.${places}`;
  if (options.keepPoint) return `${whole}.0`;
  return options.keepZeros ? `${whole}.` : whole;
}

/** Returns the first `count` digits of a number, rounded, and the exponent of the first digit. */
function significantDigits(size: number, count: number): { digits: string; exponent: number } {
  if (size === 0) return { digits: "0".repeat(count), exponent: 0 };
  const guess = Number(size.toExponential().split("e")[1]);
  const digits = scaledDigits(size, count - 1 - guess).toString();
  // Rounding up 9.99 gives one more digit.
  if (digits.length > count) return { digits: digits.slice(0, count), exponent: guess + 1 };
  return { digits, exponent: guess };
}

function signOf(negative: boolean, spec: Spec): string {
  if (negative) return "-";
  return spec.sign === "-" ? "" : spec.sign;
}

/** Joins the sign, grouped digits and tail, padded to the width. */
function assemble(sign: string, number: { digits: string; tail: string }, spec: Spec, groupSize: number): string {
  const align = spec.align ?? (spec.zeroPadded ? "=" : ">");
  const fill = spec.fill ?? (spec.zeroPadded ? "0" : " ");
  if (align !== "=")
    return pad(sign + groupDigits(number.digits, spec.groupSeparator, groupSize) + number.tail, {
      ...spec,
      align,
      fill,
    });
  const padWidth = spec.width - textLength(sign) - number.tail.length;
  spendBytes(spec.width * 2);
  if (fill === "0" && spec.groupSeparator && number.digits !== "") {
    // Zeros are grouped with the digits; a separator never comes first, so another zero replaces it.
    let digits = number.digits;
    while (groupDigits(digits, spec.groupSeparator, groupSize).length < padWidth) {
      const missingDigits = padWidth - groupDigits(digits, spec.groupSeparator, groupSize).length;
      digits = "0".repeat(Math.max(1, Math.floor((missingDigits * groupSize) / (groupSize + 1)))) + digits;
    }
    return sign + groupDigits(digits, spec.groupSeparator, groupSize) + number.tail;
  }
  const digits = groupDigits(number.digits, spec.groupSeparator, groupSize);
  return sign + fill.repeat(Math.max(0, padWidth - digits.length)) + digits + number.tail;
}

function groupDigits(digits: string, separator: string, size: number): string {
  if (separator === "") return digits;
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= size) groups.unshift(digits.slice(Math.max(0, end - size), end));
  return groups.join(separator);
}

interface Padding {
  readonly width: number;
  readonly align: string | undefined;
  readonly fill: string | undefined;
}

/** Pads a text to a width: `<` on the right, `>` on the left, `^` on both sides. */
export function pad(text: string, { width, align, fill = " " }: Padding): string {
  const fillCount = width - textLength(text);
  if (fillCount <= 0) return text;
  spendBytes(fillCount * 2);
  const before = align === "<" ? 0 : align === "^" ? Math.floor(fillCount / 2) : fillCount;
  return fill.repeat(before) + text + fill.repeat(fillCount - before);
}

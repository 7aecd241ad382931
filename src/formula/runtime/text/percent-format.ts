import { spendSteps } from "../budget.ts";
import { asciiRepr } from "./repr-conversions.ts";
import { PyDict } from "../collections/dicts.ts";
import { overflowError, typeError, valueError } from "../errors.ts";
import { formatValue, pad } from "./format.ts";
import { floatToInt, intToFloat } from "../numbers/numbers.ts";
import { sliceText, textLength } from "./text.ts";
import { numberOf, PyObject, pyRepr, pyStr, PyTuple, type PyValue, typeName } from "../values.ts";

interface ConversionSpec {
  readonly leftAligned: boolean;
  readonly zeroPadded: boolean;
  /** `+`, a space, or nothing before non-negative numbers. */
  readonly plus: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly precision: number | undefined;
  readonly type: string;
}

const CONVERSION = /%(?:\(((?:[^()]|\([^()]*\))*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d*))?[hlL]?([^])?/gu;

/** Returns `text % values`. Throws PyError TypeError or ValueError for arguments that do not match. */
export function formatPercent(text: string, formatArguments: PyValue): string {
  const isTuple = formatArguments instanceof PyTuple;
  const values = isTuple ? formatArguments.items() : [formatArguments];
  let usedCount = 0;
  let usesNames = false;
  const next = (): PyValue => {
    const value = values[usedCount++];
    if (value === undefined) throw typeError("not enough arguments for format string");
    return value;
  };
  const result = text.replace(CONVERSION, (whole, name, flags: string, widthText, precisionText, type, at) => {
    spendSteps(15);
    if (type === undefined) throw valueError("incomplete format");
    const width = widthText === "*" ? requireStarNumber(next()) : Number(widthText ?? 0);
    const precision = precisionText === "*" ? requireStarNumber(next()) : precisionText;
    if (Math.abs(width) > 1e9 || Number(precision ?? 0) > 1e9) throw valueError("width too big");
    const conversion: ConversionSpec = {
      leftAligned: flags.includes("-") || width < 0,
      zeroPadded: flags.includes("0"),
      plus: flags.includes("+") ? "+" : flags.includes(" ") ? " " : "",
      alternate: flags.includes("#"),
      width: Math.abs(width),
      precision: precision === undefined ? undefined : Number(precision),
      type,
    };
    if (whole === "%%") return "%";
    const isUnknown = !TYPES.includes(type);
    if (isUnknown && name === undefined) next();
    if (isUnknown)
      throw valueError(
        `unsupported format character '${type}' (0x${hexCode(type)}) at index ${textLength(text.slice(0, Number(at) + whole.length)) - 1}`,
      );
    if (name !== undefined) {
      if (!(formatArguments instanceof PyDict)) throw typeError("format requires a mapping");
      usesNames = true;
      return convert(formatArguments.getItem(name), conversion);
    }
    return convert(next(), conversion);
  });
  if (!usesNames && usedCount < values.length && (isTuple || !isCollection(formatArguments))) {
    throw typeError("not all arguments converted during string formatting");
  }
  return result;
}

const TYPES = "diouxXeEfFgGcrsa";

const hexCode = (character: string): string => (character.codePointAt(0) ?? 0).toString(16);

/** An unused mapping or list is not an error. */
const isCollection = (value: PyValue): boolean => value instanceof PyObject && value.iterate() !== undefined;

function requireStarNumber(value: PyValue): number {
  if (typeof value !== "bigint" && typeof value !== "boolean") throw typeError("* wants int");
  return Number(value);
}

function convert(value: PyValue, conversion: ConversionSpec): string {
  switch (conversion.type) {
    case "s":
      return fill(truncate(pyStr(value), conversion), conversion);
    case "r":
      return fill(truncate(pyRepr(value), conversion), conversion);
    case "a":
      return fill(truncate(asciiRepr(value), conversion), conversion);
    case "c":
      return fill(characterOf(value), conversion);
    case "d":
    case "i":
    case "u":
      return writeInteger(value, conversion, 10);
    case "o":
      return writeInteger(value, conversion, 8);
    case "x":
    case "X":
      return writeInteger(value, conversion, 16);
    default:
      return writeReal(value, conversion);
  }
}

const truncate = (text: string, { precision }: ConversionSpec): string =>
  precision === undefined ? text : sliceText(text, 0, precision);

const fill = (text: string, { leftAligned, width }: ConversionSpec): string =>
  pad(text, { width, align: leftAligned ? "<" : ">", fill: " " });

function characterOf(value: PyValue): string {
  if (typeof value === "string" && textLength(value) === 1) return value;
  const code = typeof value === "bigint" || typeof value === "boolean" ? Number(value) : undefined;
  if (code === undefined) throw typeError("%c requires int or char");
  if (code < 0 || code > 0x10ffff) throw overflowError("%c arg not in range(0x110000)");
  return String.fromCodePoint(code);
}

const PREFIXES: Readonly<Record<string, string>> = { o: "0o", x: "0x", X: "0X" };

function writeInteger(value: PyValue, conversion: ConversionSpec, radix: 8 | 10 | 16): string {
  const { type, precision } = conversion;
  const number = numberOf(value) ?? (radix === 10 && value instanceof PyObject ? value.toInt() : undefined);
  if (number === undefined || (typeof number === "number" && radix !== 10)) {
    const expectedMessage = radix === 10 ? "a real number is required" : "an integer is required";
    throw typeError(`%${type} format: ${expectedMessage}, not ${typeName(value)}`);
  }
  const integer = typeof number === "number" ? floatToInt(number) : number;
  const code = radix === 10 ? "d" : radix === 8 ? "o" : type;
  const digits = formatValue(integer < 0n ? -integer : integer, code);
  const padded = precision === undefined ? digits : pad(digits, { width: precision, align: ">", fill: "0" });
  const prefix = conversion.alternate ? (PREFIXES[type] ?? "") : "";
  return assemble(integer < 0n, prefix, padded, conversion);
}

function writeReal(value: PyValue, conversion: ConversionSpec): string {
  const number = numberOf(value) ?? (value instanceof PyObject ? value.toFloat() : undefined);
  if (number === undefined) throw typeError(`must be real number, not ${typeName(value)}`);
  const float = typeof number === "bigint" ? intToFloat(number) : number;
  const negative = float < 0 || Object.is(float, -0);
  const spec = `${conversion.alternate ? "#" : ""}.${conversion.precision ?? 6}${conversion.type}`;
  const text = formatValue(Math.abs(float), spec);
  return assemble(negative, "", text, { ...conversion, zeroPadded: conversion.zeroPadded && Number.isFinite(float) });
}

function assemble(negative: boolean, prefix: string, digits: string, conversion: ConversionSpec): string {
  const sign = (negative ? "-" : conversion.plus) + prefix;
  if (!conversion.zeroPadded || conversion.leftAligned) return fill(sign + digits, conversion);
  return sign + pad(digits, { width: conversion.width - sign.length, align: ">", fill: "0" });
}

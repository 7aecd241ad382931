import { spendBytes } from "../runtime/budget.ts";
import { valueError } from "../runtime/errors.ts";
import { pad } from "../runtime/text/format.ts";
import { rescale } from "./context.ts";
import { digitCount, isZero, type Numeral } from "./numeral.ts";

interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly zeroPadded: boolean;
  readonly width: number;
  readonly separator: string;
  readonly precision: number | undefined;
  readonly type: string;
}

const SPEC = /^(?:(.)?([<>=^]))?([-+ ])?(z)?(0)?([1-9]\d*)?(,)?(?:\.(\d+))?([eEfFgGn%])?$/su;

function parseSpec(text: string): Spec {
  const parts = SPEC.exec(text);
  const [, fill, align, sign = "-", , zeros, width = "0", separator = "", precision, type = ""] = parts ?? [];
  const conflicts = zeros !== undefined && align !== undefined;
  if (!parts || conflicts || width.length > 9 || (precision ?? "").length > 9)
    throw valueError("invalid format string");
  const places = precision === undefined ? undefined : Number(precision);
  const isGeneral = type === "" || "gGn".includes(type);
  return {
    fill: zeros === undefined ? (fill ?? " ") : "0",
    align: align ?? (zeros === undefined ? ">" : "="),
    sign,
    zeroPadded: zeros !== undefined,
    width: Number(width),
    separator,
    precision: places === 0 && isGeneral ? 1 : places,
    type: type === "" ? "G" : type === "n" ? "g" : type,
  };
}

/** Returns `format(decimal, spec)`. Throws PyError ValueError. */
export function formatNumeral(source: Numeral, specText: string, rounding: string): string {
  const spec = parseSpec(specText);
  const sign = source.negative ? "-" : spec.sign === "-" ? "" : spec.sign;
  if (source.kind !== "finite") {
    const name = { infinity: "Infinity", nan: "NaN", snan: "sNaN" }[source.kind];
    return padToWidth(sign, name + (spec.type === "%" ? "%" : ""), {
      ...spec,
      fill: spec.zeroPadded ? " " : spec.fill,
    });
  }
  spendBytes(spec.width * 2 + (spec.precision ?? 0) * 2);
  const number = roundForFormat(source, spec, rounding);
  const { whole, fraction, power } = splitDigits(number, spec);
  let tail = fraction === "" ? "" : `.${fraction}`;
  if (power !== 0 || spec.type === "e" || spec.type === "E") {
    tail += `${"eg".includes(spec.type) ? "e" : "E"}${power < 0 ? "-" : "+"}${Math.abs(power)}`;
  }
  if (spec.type === "%") tail += "%";
  const integerWidth = spec.zeroPadded ? spec.width - tail.length - sign.length : 0;
  return padToWidth(sign, groupDigits(whole, spec.separator, integerWidth) + tail, spec);
}

function roundForFormat(source: Numeral, { type, precision }: Spec, rounding: string): Numeral {
  const number = type === "%" ? { ...source, exponent: source.exponent + 2 } : source;
  const isFixed = "fF%".includes(type);
  const significant = (count: number): Numeral => {
    const excess = digitCount(number.digits) - count;
    if (isZero(number)) return rescale(number, 1 - count, rounding);
    if (excess === 0) return number;
    const rounded = rescale(number, number.exponent + excess, rounding);
    return digitCount(rounded.digits) > count ? rescale(rounded, rounded.exponent + 1, rounding) : rounded;
  };
  if (precision !== undefined) {
    if (isFixed) return rescale(number, -precision, rounding);
    if (type === "e" || type === "E") return significant(precision + 1);
    if (digitCount(number.digits) > precision) return significant(precision);
  }
  return isFixed && isZero(number) && number.exponent > 0 ? { ...number, exponent: 0 } : number;
}

/** Returns the digits before and after the point, and the displayed exponent. */
function splitDigits(number: Numeral, { type, precision }: Spec): { whole: string; fraction: string; power: number } {
  const digits = number.digits.toString();
  const left = number.exponent + digits.length;
  let point = left;
  if (type === "e" || type === "E") point = isZero(number) && precision !== undefined ? 1 - precision : 1;
  else if (!"fF%".includes(type)) point = number.exponent <= 0 && left > -6 ? left : 1;
  spendBytes(Math.abs(point) * 2);
  if (point < 0) return { whole: "0", fraction: "0".repeat(-point) + digits, power: left - point };
  const whole = point > digits.length ? digits.padEnd(point, "0") : digits.slice(0, point) || "0";
  return { whole, fraction: digits.slice(point), power: left - point };
}

/** Groups digits by three and pads with zeros to a width. */
function groupDigits(digits: string, separator: string, width: number): string {
  if (separator === "") return digits.padStart(width, "0");
  let padded = digits;
  for (;;) {
    const text = padded.replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
    if (text.length >= width) return text;
    padded = "0".repeat(Math.max(1, Math.floor(((width - text.length) * 3) / 4))) + padded;
  }
}

function padToWidth(sign: string, body: string, spec: Spec): string {
  if (spec.align !== "=") return pad(sign + body, spec);
  return sign + spec.fill.repeat(Math.max(0, spec.width - sign.length - body.length)) + body;
}

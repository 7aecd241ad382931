import { civilTimeOf, type CivilTime } from "./calendar.ts";
import { CELL_CODES, isCoded } from "./cell.ts";
import { findZone, UTC, type Zone } from "./zones.ts";

/**
 * Values in Python's notation, in which documents display values that do not match a column's type. Integral numbers
 * within 32 bits are integers, all others floats.
 */

/** Returns `str(float)`, the shortest digits that round-trip: "1.0", "1e+16", "1e-05", "inf". */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 16) return withExponent(digits, power);
  const text = power < 0 ? decimalText(digits, power) : String(value);
  return text.includes(".") ? text : `${text}.0`;
}

/** Returns `"%.15g"`: at most 15 significant digits, whole numbers without a point. */
export function generalText(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return "0";
  const [digits = "", exponent = "0"] = value.toExponential(14).split("e");
  const power = Number(exponent);
  const short = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  return power < -4 || power >= 15 ? withExponent(short, power) : decimalText(short, power);
}

/** Converts a number for a Text column: integers below 2^53 in digits, others with 15 significant digits. */
export function numberAsText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : generalText(value);
}

/** Returns a number as an integer if it is one within 32 bits, else as a float. */
export function numberText(value: number): string {
  return isInt32(value) ? String(value) : floatText(value);
}

export const isInt32 = (value: unknown): value is number =>
  typeof value === "number" && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;

/** Returns `str(value)` of a cell value or of a part of one. */
export function pythonText(value: unknown): string {
  if (typeof value === "string") return value;
  if (isCoded(value)) return codedText(value) ?? pythonRepr(value);
  return pythonRepr(value);
}

/** Returns `repr(value)` of a cell value or of a part of one. */
export function pythonRepr(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return numberText(value);
  if (typeof value === "string") return textRepr(value);
  if (isCoded(value)) return codedRepr(value);
  if (Array.isArray(value)) return listText(value);
  return typeof value === "object" ? dictText(value) : textRepr(typeof value);
}

/** `[1, 'a', None]` */
export const listText = (items: readonly unknown[]): string => `[${items.map(pythonRepr).join(", ")}]`;

/** `('a', 'b')`, `('a',)` */
export const tupleText = (items: readonly unknown[]): string =>
  items.length === 1 ? `(${pythonRepr(items[0])},)` : `(${items.map(pythonRepr).join(", ")})`;

/** Returns the `str` of coded values for which it differs from `repr`. */
function codedText([code, ...args]: readonly unknown[]): string | undefined {
  switch (code) {
    case CELL_CODES.date:
      return dateText(civilTimeOf(Number(args[0])));
    case CELL_CODES.dateTime:
      return dateTimeText(Number(args[0]), findZone(String(args[1])) ?? UTC);
    case CELL_CODES.censored:
      return "CENSORED";
    case CELL_CODES.pending:
      return "PENDING";
    case CELL_CODES.unmarshallable:
      return String(args[0]);
    default:
      return undefined;
  }
}

function codedRepr(value: readonly unknown[]): string {
  const [code, first, second] = value;
  switch (code) {
    case CELL_CODES.list:
      return listText(value.slice(1));
    case CELL_CODES.dict:
      return pythonRepr(first);
    case CELL_CODES.date: {
      const { year, month, day } = civilTimeOf(Number(first));
      return `datetime.date(${year}, ${month}, ${day})`;
    }
    case CELL_CODES.dateTime:
      return dateTimeRepr(Number(first), String(second));
    case CELL_CODES.reference:
      return `${String(first)}[${pythonRepr(second)}]`;
    case CELL_CODES.referenceList:
      return `${String(first)}[${pythonRepr(second)}]`;
    case CELL_CODES.error:
      return `#${String(first)}`;
    default:
      return codedText(value) ?? listText(value);
  }
}

const dictText = (dict: object): string =>
  `{${Object.entries(dict)
    .map(([key, item]) => `${textRepr(key)}: ${pythonRepr(item)}`)
    .join(", ")}}`;

function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replaceAll(/['"\\]|[\p{C}\p{Z}]/gu, (character) => {
    if (character === " " || (character === '"' && quote === "'") || (character === "'" && quote === '"')) {
      return character;
    }
    return ESCAPES[character] ?? (/['"\\]/.test(character) ? `\\${character}` : codePointEscape(character));
  });
  return quote + escaped + quote;
}

const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

function codePointEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

const pad = (value: number, length = 2): string => String(value).padStart(length, "0");

const dateText = ({ year, month, day }: CivilTime): string => `${pad(year, 4)}-${pad(month)}-${pad(day)}`;

/** Returns `2024-05-02 10:00:00+02:00`, with microseconds if there are any. */
function dateTimeText(seconds: number, zone: Zone): string {
  const { whole, micros } = splitSeconds(seconds);
  const offset = zone.offsetAt(whole);
  const local = civilTimeOf(whole + offset);
  const time = `${pad(local.hour)}:${pad(local.minute)}:${pad(local.second)}`;
  return `${dateText(local)} ${time}${micros ? `.${pad(micros, 6)}` : ""}${offsetText(offset)}`;
}

function dateTimeRepr(seconds: number, zoneName: string): string {
  const zone = findZone(zoneName) ?? UTC;
  const { whole, micros } = splitSeconds(seconds);
  const { year, month, day, hour, minute, second } = civilTimeOf(whole + zone.offsetAt(whole));
  const fields = [year, month, day, hour, minute, ...(second || micros ? [second] : []), ...(micros ? [micros] : [])];
  return `datetime.datetime(${fields.join(", ")}, tzinfo=${zone.name})`;
}

function splitSeconds(seconds: number): { whole: number; micros: number } {
  const whole = Math.floor(seconds);
  const micros = Math.round((seconds - whole) * 1e6);
  return micros === 1e6 ? { whole: whole + 1, micros: 0 } : { whole, micros };
}

function offsetText(offset: number): string {
  const size = Math.abs(offset);
  const seconds = size % 60 ? `:${pad(size % 60)}` : "";
  return `${offset < 0 ? "-" : "+"}${pad(Math.floor(size / 3600))}:${pad(Math.floor(size / 60) % 60)}${seconds}`;
}

const notFinite = (value: number): string => (Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf");

/** Formats a mantissa such as "1.25" and an exponent as "1.25e+20". */
function withExponent(digits: string, power: number): string {
  return `${digits}e${power < 0 ? "-" : "+"}${pad(Math.abs(power))}`;
}

/** Formats a mantissa such as "1.25" and an exponent in decimal notation. */
function decimalText(digits: string, power: number): string {
  const sign = digits.startsWith("-") ? "-" : "";
  const figures = digits.replace(/[-.]/g, "");
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${figures}`;
  if (figures.length <= power + 1) return sign + figures.padEnd(power + 1, "0");
  return `${sign}${figures.slice(0, power + 1)}.${figures.slice(power + 1)}`;
}

import { civilTimeOf } from "../../values/calendar.ts";
import { type CellValue, CELL_CODES, isCoded } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { cellFormatter } from "../../values/cell-formatter.ts";
import { type Zone, zoneOrUtc } from "../../values/zones.ts";
import { boolOfWord } from "./bool-words.ts";
import type { CellReading, ShownAs } from "./inferred-column.ts";
import { isPlaceholder, MARKED_TEXT } from "./evidence-collector.ts";
import { type DateOrder, type DateText, parseDateCandidate } from "./date-text.ts";
import { NumberScanner } from "./number-text.ts";

/**
 * Returns the function that converts the values of a file to the cells of a column. A text that cannot be parsed stays
 * unchanged.
 */
export function cellConverter(reading: CellReading, type: string): (value: CellValue) => CellValue {
  const kind = columnType(type);
  const convert = (value: CellValue): CellValue => kind.convert(value);
  const read = textConverter(reading, convert);
  if (reading.kind === "text") {
    const other = reading.shownAs ? shownText(reading.shownAs, convert) : convert;
    return (value) => (typeof value === "string" ? read(value) : textOf(other, value));
  }
  return (value) => {
    if (typeof value !== "string") return convert(value);
    return value === "" ? null : read(value);
  };
}

function textOf(convert: (value: CellValue) => CellValue, value: CellValue): CellValue {
  if (value === null) return "";
  return typeof value === "boolean" ? String(value) : convert(value);
}

/** Formats typed numbers or dates as the file displays them, and all other values with `usual`. */
function shownText(
  { of, options: widgetOptions, locale }: ShownAs,
  usual: (value: CellValue) => CellValue,
): (value: CellValue) => CellValue {
  const settings = { locale, widgetOptions, timezone: "UTC" };
  const [number, day, moment] = ["Numeric", "Date", "DateTime:UTC"].map((type) =>
    cellFormatter(columnType(type), settings),
  );
  return (value) => {
    if (typeof value === "number") return of === "numbers" && number ? number(value) : usual(value);
    if (of !== "dates" || !isCoded(value)) return usual(value);
    const [code, seconds] = value;
    const format = code === CELL_CODES.date ? day : code === CELL_CODES.dateTime ? moment : undefined;
    return format ? format(Number(seconds)) : usual(value);
  };
}

function textConverter(reading: CellReading, convert: (value: CellValue) => CellValue): (text: string) => CellValue {
  switch (reading.kind) {
    case "text":
      return withoutTextMark;
    case "cells":
      return convert;
    case "bool":
      return (text) => (text.trim() === reading.yes ? true : (boolOfWord(text) ?? convert(text.trim())));
    case "number":
      return parseOrNull(reading.nulls, numberConverter(reading));
    case "date":
      return parseOrNull(reading.nulls, (text) => parseDayIn(text, reading.order));
    case "dateTime": {
      const zone = zoneOrUtc(reading.zone);
      return parseOrNull(reading.nulls, (text) => parseMoment(text, reading.order, zone));
    }
    default:
      return reading satisfies never;
  }
}

/** Removes the markers that spreadsheets put around a text. */
function withoutTextMark(text: string): string {
  return text.startsWith('="') ? (MARKED_TEXT.exec(text)?.[1] ?? text) : text;
}

function parseOrNull(nulls: boolean, read: (text: string) => number): (text: string) => CellValue {
  return (whole) => {
    const text = whole.trim();
    if (text === "") return null;
    const value = read(text);
    if (!Number.isNaN(value)) return value;
    return nulls && isPlaceholder(text) ? null : whole;
  };
}

function numberConverter({ decimal, keepsCodes }: Extract<CellReading, { kind: "number" }>): (text: string) => number {
  const scanner = new NumberScanner();
  return (text) => (scanner.read(text) && !(keepsCodes && scanner.isCode) ? scanner.value(text, decimal) : Number.NaN);
}

function parseDayIn(text: string, order: DateOrder): number {
  const date = parseDateCandidate(text);
  return date ? dayBy(date, order) : Number.NaN;
}

function parseMoment(text: string, order: DateOrder, zone: Zone): number {
  const date = parseDateCandidate(text);
  if (!date) return Number.NaN;
  const local = dayBy(date, order) + (date.time?.seconds ?? 0);
  if (Number.isNaN(local)) return local;
  const offsetS = date.time?.offsetS;
  return offsetS === undefined ? zone.toUtc(civilTimeOf(local), "forward") : local - offsetS;
}

const dayBy = ({ day }: DateText, order: DateOrder): number => (order === "dmy" ? day.dayFirst : day.monthFirst);

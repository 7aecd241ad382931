import { CELL_CODES, type CellValue } from "../values/cell.ts";
import { civilTimeOf } from "../values/calendar.ts";
import type { ColumnType } from "../values/column-type.ts";
import { parseIsoDate, parseIsoDateTime } from "../values/iso-date.ts";
import { zoneOrUtc } from "../values/zones.ts";
import { spendBytes, spendSteps, withCellBudget } from "./runtime/budget.ts";
import { PyByteArray } from "./runtime/text/byte-arrays.ts";
import { PyBytes } from "./runtime/text/bytes.ts";
import { PyDate } from "./dates/date.ts";
import { PyDateTime } from "./dates/datetime.ts";
import { PyZone } from "./dates/tzinfo.ts";
import { PyDict } from "./runtime/collections/dicts.ts";
import { errorFromEngine, PyError } from "./runtime/errors.ts";
import { PyException } from "./runtime/classes/exceptions.ts";
import { writeGeneral } from "./runtime/text/format.ts";
import { toFloat } from "./functions/python.ts";
import { floatToInt } from "./runtime/numbers/numbers.ts";
import { PyRecord } from "./records/record.ts";
import { PyRecordSet, PyRecordSlice } from "./records/record-set.ts";
import {
  AltText,
  itemsOf,
  numberOf,
  PyList,
  PyObject,
  pyRepr,
  PySequence,
  pyStr,
  type PyValue,
  isTruthy,
} from "./runtime/values.ts";

/**
 * Converts a value to a cell of a type; returns undefined or throws PyError when it does not fit and is stored as text.
 */
type Convert = (value: PyValue, type: ColumnType) => CellValue | undefined;

const CONVERTERS: ReadonlyMap<string, Convert> = new Map([
  ["Any", encodeAny],
  ["Text", toText],
  ["Choice", toText],
  ["Int", toInt],
  ["Id", toInt],
  ["Numeric", toNumeric],
  ["PositionNumber", toNumeric],
  ["ManualSortPos", toNumeric],
  ["Bool", toBool],
  ["Date", toDate],
  ["DateTime", toDateTime],
  ["ChoiceList", toChoices],
  ["Ref", toReference],
  ["RefList", toReferences],
  ["Attachments", toReferences],
]);

/**
 * Converts the result of a formula to a cell of its column. A value that does not fit the type becomes its text. Throws
 * PyError for values without a text (an int of thousands of digits) and values that are too large, and
 * NotImplementedError (see `isNotSupported`) for unsupported features.
 */
export function pythonToCell(value: PyValue, type: ColumnType): CellValue {
  const plain = plainCell(value, type.base);
  if (plain !== undefined) return plain;
  return withCellBudget(undefined, () => {
    const convert = CONVERTERS.get(type.base) ?? encodeAny;
    try {
      const cell = convert(value, type);
      if (cell !== undefined) return cell;
    } catch (error) {
      // A list that contains itself recurses endlessly.
      if (!(error instanceof RangeError || (error instanceof PyError && error.catchable))) throw error;
    }
    try {
      return pyStr(value);
    } catch (error) {
      throw error instanceof RangeError ? errorFromEngine(error) : error;
    }
  });
}

/** Returns the cell of a plain value in a column of its own type, the most frequent case; undefined for all others. */
function plainCell(value: PyValue, base: string): CellValue | undefined {
  if (typeof value === "string") return base === "Text" || base === "Any" || base === "Choice" ? value : undefined;
  if (typeof value === "number") return base === "Numeric" || base === "Any" ? value : undefined;
  if (typeof value === "bigint") return base === "Int" || base === "Any" ? safeInteger(value) : undefined;
  if (typeof value === "boolean") return base === "Bool" || base === "Any" ? value : undefined;
  return undefined;
}

/** Returns the error cell of a failed formula. */
export const errorToCell = (error: PyError): CellValue => [CELL_CODES.error, error.typeName, ...error.details];

const isBlank = (value: PyValue): boolean => value === null || value === "";

const MIN_INT = -(2 ** 31);
const MAX_INT = 2 ** 31 - 1;

/** Returns the integer as a number if cells can represent it. */
function safeInteger(value: bigint): number | undefined {
  return value >= MIN_INT && value <= MAX_INT ? Number(value) : undefined;
}

/** Encodes any value for a column of type Any. */
function encodeAny(source: PyValue): CellValue {
  spendSteps(1);
  const value = source instanceof PyObject ? (source.payload ?? source) : source;
  if (typeof value === "bigint") return safeInteger(value) ?? [CELL_CODES.unmarshallable, pyRepr(value)];
  if (!(value instanceof PyObject)) return value;
  if (value instanceof PySequence) {
    spendBytes(value.items().length * 32);
    return [CELL_CODES.list, ...value.items().map(encodeAny)];
  }
  if (value instanceof PyDateTime) return encodeDateTime(value);
  if (value instanceof PyDate) return [CELL_CODES.date, value.seconds];
  if (value instanceof AltText) return value.text;
  if (value instanceof PyBytes && !(value instanceof PyByteArray)) {
    return value.decodeUtf8() ?? [CELL_CODES.unmarshallable, value.repr()];
  }
  if (value instanceof PyException) return [CELL_CODES.error, value.typeName];
  if (value instanceof PyDict) return encodeDict(value);
  if (value instanceof PyRecord) return [CELL_CODES.reference, value.table.tableId, value.id];
  if (value instanceof PyRecordSlice) return [CELL_CODES.reference, value.table.tableId, [...value.ids]];
  if (value instanceof PyRecordSet) return [CELL_CODES.referenceList, value.table.tableId, [...value.ids]];
  return [CELL_CODES.unmarshallable, value.repr()];
}

/** Encodes a dict; cells support only string keys. */
function encodeDict(dict: PyDict): CellValue {
  const entries: [string, CellValue][] = [];
  for (const [key, item] of dict.entries()) {
    if (typeof key !== "string") return [CELL_CODES.unmarshallable, dict.repr()];
    entries.push([key, encodeAny(item)]);
  }
  // JSON objects are unordered; documents store the keys sorted.
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return [CELL_CODES.dict, Object.fromEntries(entries)];
}

/** Cells store zones by name only. */
function encodeDateTime(value: PyDateTime): CellValue {
  if (value.tz && !(value.tz instanceof PyZone)) return [CELL_CODES.unmarshallable, value.repr()];
  return [CELL_CODES.dateTime, value.timestamp, value.tz?.zone.name ?? "UTC"];
}

function toText(value: PyValue): CellValue {
  if (value === null) return null;
  if (value instanceof PyBytes) return value.decodeUtf8() ?? value.repr();
  if (typeof value !== "number" || !Number.isFinite(value)) return pyStr(value);
  if (Number.isSafeInteger(value)) return pyStr(floatToInt(value));
  return (value < 0 ? "-" : "") + writeGeneral(Math.abs(value), 15);
}

function toInt(value: PyValue): CellValue | undefined {
  return isBlank(value) ? null : safeInteger(floatToInt(toFloat(value)));
}

function toNumeric(value: PyValue): CellValue {
  return isBlank(value) ? null : toFloat(value);
}

function toBool(value: PyValue): CellValue | undefined {
  if (!isTruthy(value)) return false;
  if (typeof value !== "string") return numberOf(value) === undefined ? undefined : true;
  if (/^(?:true|yes|1)$/i.test(value)) return true;
  return /^(?:false|no|0)$/i.test(value) ? false : undefined;
}

function toDate(value: PyValue): CellValue | undefined {
  if (isBlank(value)) return null;
  if (value instanceof PyDate) return value.seconds;
  if (typeof value === "string") return parseIsoDate(value);
  return numberOf(value) === undefined ? undefined : toFloat(value);
}

/** Naive datetimes are in the column's zone. */
function toDateTime(value: PyValue, type: ColumnType): CellValue | undefined {
  if (isBlank(value)) return null;
  const zone = zoneOrUtc(type.zone);
  if (typeof value === "string") return parseIsoDateTime(value, zone);
  if (value instanceof PyDateTime) return (value.tz ? value : new PyDateTime(value, PyZone.of(zone))).timestamp;
  if (value instanceof PyDate) return zone.toUtc(civilTimeOf(value.seconds), "after");
  return numberOf(value) === undefined ? undefined : toFloat(value);
}

function toChoices(value: PyValue): CellValue | undefined {
  if (!isTruthy(value)) return null;
  if (typeof value !== "string") return [CELL_CODES.list, ...itemsOf(value).map(pyStr)];
  const items = parseJsonList(value);
  return items && [CELL_CODES.list, ...items.map((item) => (typeof item === "string" ? item : JSON.stringify(item)))];
}

/** Parses JSON text of a list. */
function parseJsonList(text: string): unknown[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toReference(value: PyValue): CellValue | undefined {
  if (isBlank(value)) return 0;
  if (value instanceof PyRecord) return value.id;
  if (value instanceof PySequence) {
    // The first item of a list counts, also for the text of a value that is not a record.
    const [first = null] = value.items();
    return toReference(first) ?? (value instanceof PyList ? pyStr(first) : undefined);
  }
  return toRowId(value);
}

function toRowId(value: PyValue): number | undefined {
  const number = numberOf(value);
  return typeof number === "bigint" ? safeInteger(number) : undefined;
}

function toReferences(value: PyValue, type: ColumnType): CellValue | undefined {
  // An empty record set becomes an empty list, whatever its table; other empty values become an empty cell.
  if (value instanceof PyRecordSet && (value.ids.length === 0 || value.table.tableId === type.target)) {
    return [CELL_CODES.list, ...value.ids];
  }
  if (!isTruthy(value)) return null;
  if (value instanceof PyRecordSet) return undefined;
  // Records of other tables are not attachments.
  if (type.base === "Attachments" && value instanceof PyRecord && value.table.tableId !== type.target) return undefined;
  const ids = rowIds(value);
  return ids.every((id) => id !== undefined) ? [CELL_CODES.list, ...ids] : undefined;
}

function rowIds(value: PyValue): (number | undefined)[] {
  if (typeof value === "string") {
    const items = parseJsonList(value) ?? [undefined];
    return items.map((item) => (typeof item === "number" && Number.isInteger(item) ? item : undefined));
  }
  if (!(value instanceof PyObject) || !value.iterate()) return [toRecordId(value)];
  const items = itemsOf(value);
  if (!items.some((item) => item instanceof PyRecordSet)) return items.map(toRecordId);
  // Record sets within a list are flattened, without duplicates.
  const ids = items.flatMap((item): (number | undefined)[] =>
    item instanceof PyRecordSet ? [...item.ids] : [toRecordId(item)],
  );
  return [...new Set(ids)];
}

const toRecordId = (value: PyValue): number | undefined => (value instanceof PyRecord ? value.id : toRowId(value));

import { invalid } from "../errors.ts";
import { isRepresentable, startOfDay } from "./calendar.ts";
import { CELL_CODES, isCoded, type CellValue, type CodedValue } from "./cell.ts";
import { MAX_DEPTH } from "./marshal-writer.ts";
import { pythonRepr } from "./python-text.ts";
import { findZone } from "./zones.ts";

/** Maximum nesting of a cell value: the history stores it within lists of actions, columns and rows. */
const MAX_CELL_DEPTH = MAX_DEPTH - 20;
/** Nesting levels of a coded dict: the list with the code, and the mapping in it. */
const DICT_DEPTH = 2;

/**
 * Returns the cell value for any JSON value without validating its parts: a list without a known code becomes an error
 * cell, an object its text.
 */
export function cellFromJson(value: unknown): CellValue {
  if (value === undefined) return null;
  if (value !== null && typeof value === "object" && !Array.isArray(value)) return pythonRepr(value);
  return Array.isArray(value) && !isCoded(value) ? errorCell("KeyError") : (value as CellValue);
}

/**
 * Returns the stored form of a coded value: dates truncated to their day, elements likewise. A malformed value becomes
 * the error that decoding it gives.
 * @throws AppError `invalid` if it is nested too deeply to be stored
 */
export function normalizeCoded(value: CodedValue): CodedValue {
  return normalizeNested(value, 0);
}

function normalizeNested(value: CodedValue, depth: number): CodedValue {
  if (depth > MAX_CELL_DEPTH) throw invalid("A value is nested too deeply");
  const [code, first] = value;
  switch (code) {
    case CELL_CODES.list:
      return [code, ...value.slice(1).map((item) => normalizeInner(item, depth + 1))];
    case CELL_CODES.dict:
      return normalizeDict(value, depth);
    case CELL_CODES.date:
      return normalizeSeconds(value, () => [code, startOfDay(Number(first))]);
    case CELL_CODES.dateTime:
      return normalizeSeconds(value, () => normalizeDateTime(value));
    case CELL_CODES.reference:
    case CELL_CODES.referenceList:
      return value.length < 3 ? errorCell("IndexError") : value;
    case CELL_CODES.unmarshallable:
      return value.length < 2 ? errorCell("IndexError") : [code, String(first)];
    case CELL_CODES.error:
      return typeof first === "string" ? value : errorCell("TypeError");
    case CELL_CODES.lookUp:
      return value.length < 2 ? errorCell("TypeError") : value;
    case CELL_CODES.pending:
    case CELL_CODES.censored:
      return [code];
    default:
      return errorCell("KeyError");
  }
}

function normalizeInner(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== "object") return value;
  if (isCoded(value)) return normalizeNested(value, depth);
  if (Array.isArray(value)) return errorCell(value.length ? "KeyError" : "IndexError");
  return normalizeDict([CELL_CODES.dict, value], depth);
}

function normalizeDict(value: CodedValue, depth: number): CodedValue {
  if (value.length < 2) return errorCell("IndexError");
  const dict = value[1];
  if (dict === null || typeof dict !== "object" || Array.isArray(dict)) return errorCell("AttributeError");
  // Object.fromEntries keeps "__proto__" as an own key.
  return [
    CELL_CODES.dict,
    Object.fromEntries(Object.entries(dict).map(([key, item]) => [key, normalizeInner(item, depth + DICT_DEPTH)])),
  ];
}

function normalizeSeconds(value: CodedValue, make: () => CodedValue): CodedValue {
  if (value.length < 2) return errorCell("IndexError");
  const seconds = value[1];
  if (typeof seconds !== "number") return errorCell("TypeError");
  return isRepresentable(seconds) ? make() : errorCell("OverflowError");
}

function normalizeDateTime(value: CodedValue): CodedValue {
  const [code, seconds, zone] = value;
  if (value.length < 3) return errorCell("IndexError");
  return typeof zone === "string" && findZone(zone) ? [code, seconds, zone] : errorCell("KeyError");
}

const errorCell = (name: string): CodedValue => [CELL_CODES.error, name];

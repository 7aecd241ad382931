import { invalid } from "../errors.ts";
import { isRepresentable, startOfDay } from "./calendar.ts";
import { CODES, isCoded, type CellValue, type CodedValue } from "./cell.ts";
import { MAX_DEPTH } from "./marshal-writer.ts";
import { pythonRepr } from "./python-text.ts";
import { findZone } from "./zones.ts";

/** Levels that a cell's value may have: the history stores it within lists of actions, columns and rows. */
const MAX_CELL_DEPTH = MAX_DEPTH - 20;
/** Levels of a coded dict: the list with the code, and the mapping in it. */
const DICT_DEPTH = 2;

/**
 * The cell value for anything JSON may hold, as columns of values give it without checking each one: a list that begins
 * with no known code becomes an error cell, an object its text.
 */
export function cellFromJson(value: unknown): CellValue {
  if (value === undefined) return null;
  if (value !== null && typeof value === "object" && !Array.isArray(value)) return pythonRepr(value);
  return Array.isArray(value) && !isCoded(value) ? error("KeyError") : (value as CellValue);
}

/**
 * A coded value as it is kept: dates cut to their day, elements likewise; one that makes no sense becomes the error
 * that reading it gives. Throws AppError `invalid` when it is nested too deeply to be stored.
 */
export function normalizeCoded(value: CodedValue): CodedValue {
  return normalize(value, 0);
}

function normalize(value: CodedValue, depth: number): CodedValue {
  if (depth > MAX_CELL_DEPTH) throw invalid("A value is nested too deeply");
  const [code, first] = value;
  switch (code) {
    case CODES.list:
      return [code, ...value.slice(1).map((item) => normalizeInner(item, depth + 1))];
    case CODES.dict:
      return normalizeDict(value, depth);
    case CODES.date:
      return normalizeMoment(value, () => [code, startOfDay(Number(first))]);
    case CODES.dateTime:
      return normalizeMoment(value, () => normalizeDateTime(value));
    case CODES.reference:
    case CODES.referenceList:
      return value.length < 3 ? error("IndexError") : value;
    case CODES.unmarshallable:
      return value.length < 2 ? error("IndexError") : [code, String(first)];
    case CODES.error:
      return typeof first === "string" ? value : error("TypeError");
    case CODES.lookUp:
      return value.length < 2 ? error("TypeError") : value;
    case CODES.pending:
    case CODES.censored:
      return [code];
    default:
      return error("KeyError");
  }
}

function normalizeInner(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== "object") return value;
  if (isCoded(value)) return normalize(value, depth);
  if (Array.isArray(value)) return error(value.length ? "KeyError" : "IndexError");
  return normalizeDict([CODES.dict, value], depth);
}

function normalizeDict(value: CodedValue, depth: number): CodedValue {
  if (value.length < 2) return error("IndexError");
  const dict = value[1];
  if (dict === null || typeof dict !== "object" || Array.isArray(dict)) return error("AttributeError");
  // Object.fromEntries keeps a key "__proto__" as a key.
  return [
    CODES.dict,
    Object.fromEntries(Object.entries(dict).map(([key, item]) => [key, normalizeInner(item, depth + DICT_DEPTH)])),
  ];
}

function normalizeMoment(value: CodedValue, make: () => CodedValue): CodedValue {
  if (value.length < 2) return error("IndexError");
  const seconds = value[1];
  if (typeof seconds !== "number") return error("TypeError");
  return isRepresentable(seconds) ? make() : error("OverflowError");
}

function normalizeDateTime(value: CodedValue): CodedValue {
  const [code, seconds, zone] = value;
  if (value.length < 3) return error("IndexError");
  return typeof zone === "string" && findZone(zone) ? [code, seconds, zone] : error("KeyError");
}

const error = (name: string): CodedValue => [CODES.error, name];

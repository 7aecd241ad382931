import { CELL_CODES, isList, type CellValue } from "../cell.ts";
import { floatText, numberText, pythonText, tupleText } from "../python-text.ts";
import type { ConvertContext } from "./type-interfaces.ts";

/** Types whose numbers are floats even if they are whole, so that their texts have a decimal point. */
const FLOAT_TYPES: ReadonlySet<string> = new Set(["Numeric", "Date", "DateTime", "PositionNumber", "ManualSortPos"]);

/** Returns true if the source column's numbers are floats even if they are whole. */
export const isFloatColumn = (context: ConvertContext | undefined): boolean =>
  context?.from !== undefined && FLOAT_TYPES.has(context.from.base);

/** Returns true if the source column's lists are tuples in Python. */
export const isTupleColumn = (context: ConvertContext | undefined): boolean => context?.from?.base === "ChoiceList";

/** Returns the text that a cell holds for a value that does not match its type. */
export function invalidValueText(value: CellValue, context?: ConvertContext): string {
  if (typeof value === "number") return isFloatColumn(context) ? floatText(value) : numberText(value);
  return isList(value) && isTupleColumn(context) ? tupleText(value.slice(1)) : pythonText(value);
}

/** Returns true for falsy values in Python's sense: null, false, 0, an empty text, list or mapping. */
export function isFalsy(value: CellValue): boolean {
  if (!Array.isArray(value)) return !value && !Number.isNaN(value);
  if (value[0] === CELL_CODES.list) return value.length === 1;
  return value[0] === CELL_CODES.dict && Object.keys(value[1] as object).length === 0;
}

/** Parses a JSON list; returns undefined for texts that are not one. */
export function readJsonList(text: string): unknown[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

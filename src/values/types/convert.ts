import { CELL_CODES, isList, type CellValue } from "../cell.ts";
import { floatText, numberText, pythonText, tupleText } from "../python-text.ts";
import type { ConvertContext } from "./type-interfaces.ts";

/** Types whose numbers are floats, also whole ones: their texts have a point. */
const FLOAT_TYPES: ReadonlySet<string> = new Set(["Numeric", "Date", "DateTime", "PositionNumber", "ManualSortPos"]);

/** True when numbers come out of a column where even whole ones count as floats. */
export const isFloatColumn = (context: ConvertContext | undefined): boolean =>
  context?.from !== undefined && FLOAT_TYPES.has(context.from.base);

/** True when lists come out of a column where they are tuples in Python's eyes. */
export const isTupleColumn = (context: ConvertContext | undefined): boolean => context?.from?.base === "ChoiceList";

/** The text that stays in a cell for a value which does not fit its type. */
export function invalidValueText(value: CellValue, context?: ConvertContext): string {
  if (typeof value === "number") return isFloatColumn(context) ? floatText(value) : numberText(value);
  return isList(value) && isTupleColumn(context) ? tupleText(value.slice(1)) : pythonText(value);
}

/** True for what counts as nothing: null, false, 0, an empty text, list or mapping. */
export function isFalsy(value: CellValue): boolean {
  if (!Array.isArray(value)) return !value && !Number.isNaN(value);
  if (value[0] === CELL_CODES.list) return value.length === 1;
  return value[0] === CELL_CODES.dict && Object.keys(value[1] as object).length === 0;
}

/** The list that a JSON text beginning with `[` holds; undefined for all other texts. */
export function readJsonList(text: string): unknown[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text) as unknown[];
  } catch {
    return undefined;
  }
}

import { invalid } from "../../errors.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { CellRange, RangeBound } from "../indexes/cell-range.ts";
import type { ReadField } from "./read-table.ts";
import { resolveBound } from "./relative-dates.ts";

/** A filter of a column's cells. */
export interface CellFilter {
  readonly passes: (value: CellValue) => boolean;
  /** Cells that include all which pass, in a form that an index finds; null where there is none. */
  readonly lookup: CellLookup | null;
}

export type CellLookup =
  | { readonly kind: "values"; readonly values: readonly CellValue[] }
  | { readonly kind: "range"; readonly range: CellRange };

/** A condition on a column: cells among which are all that match it. */
export interface ColumnCondition {
  readonly field: ReadField;
  readonly lookup: CellLookup;
}

const LIST_TYPES = new Set(["ChoiceList", "RefList", "Attachments"]);

/**
 * Parses a filter in the form that widgets save: `included` or `excluded` values, or `min` and `max` of a range, each a
 * number or a date relative to today. Lists of choices or references pass if any of their elements does.
 * @throws AppError `invalid` when the text is not a JSON object
 */
export function cellFilter(spec: string, { type, nowMs }: { type: string; nowMs: number }): CellFilter {
  const filterSpec = parse(spec);
  const { included, excluded, min, max } = filterSpec;
  if (min !== undefined || max !== undefined) {
    const { base } = columnType(type);
    const lowerBound = resolveBound(min, { end: false, base, nowMs });
    const upperBound = resolveBound(max, { end: true, base, nowMs });
    const passes = (value: CellValue): boolean =>
      typeof value === "number" && value >= (lowerBound ?? -Infinity) && value <= (upperBound ?? Infinity);
    const range = { kind: "number", lower: inclusive(lowerBound), upper: inclusive(upperBound) } as const;
    return { passes, lookup: { kind: "range", range } };
  }
  const isInclusive = included !== undefined;
  const list: unknown = isInclusive ? included : (excluded ?? []);
  if (!Array.isArray(list)) throw invalid("A filter must have a list of included or excluded values");
  const values = new Set(list.map(keyOf));
  const passes = (value: unknown): boolean => values.has(keyOf(value)) === isInclusive;
  if (!LIST_TYPES.has(columnType(type).base)) return { passes, lookup: isInclusive ? valueLookup(values) : null };
  // An empty list counts as an empty text, which is what users select in the list of values.
  const passesInList = (value: CellValue): boolean =>
    isList(value) && value.length > 1 ? value.slice(1).some(passes) : passes(value === null ? "" : value);
  return { passes: passesInList, lookup: null };
}

const inclusive = (value: number | undefined): RangeBound<number> | null =>
  value === undefined ? null : { value, inclusive: true };

/** Returns the cells whose keys are listed. A text is also the key of the list or object whose JSON it is. */
function valueLookup(keys: ReadonlySet<unknown>): CellLookup {
  const values = [...keys].flatMap((key): CellValue[] =>
    typeof key === "string" ? [key, parsedJson(key)] : [key as CellValue],
  );
  return { kind: "values", values };
}

/** Returns the list or object that a text is the JSON of; the text itself if there is none. */
function parsedJson(text: string): CellValue {
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as CellValue;
  } catch {
    return text;
  }
}

/**
 * Returns the filter of a link to another widget: `in` passes listed values, `intersects` passes lists with a listed
 * element, `empty` passes empty lists.
 * @throws AppError `invalid` for another operation
 */
export function linkFilter(allowed: readonly CellValue[], operation: unknown): CellFilter {
  const values = new Set(allowed.map(keyOf));
  switch (operation) {
    case "in":
      return { passes: (value) => values.has(keyOf(value)), lookup: valueLookup(values) };
    case "intersects":
      return {
        passes: (value) => isList(value) && value.slice(1).some((item) => values.has(keyOf(item))),
        lookup: null,
      };
    case "empty":
      return { passes: (value) => !isList(value) || value.length === 1, lookup: null };
    default:
      throw invalid(`linkingFilter has the unknown operation ${JSON.stringify(operation)}`);
  }
}

/** Composite values are equal when their JSON is. */
const keyOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

function parse(spec: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(spec);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw invalid("A filter must be a JSON object");
}

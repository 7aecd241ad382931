import { invalid } from "../../errors.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import type { CellRange } from "../indexes/cell-range.ts";
import type { ReadField } from "./read-table.ts";
import { rangeOf } from "./relative-dates.ts";

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

const LIST_TYPES: ReadonlySet<string> = new Set(["ChoiceList", "RefList", "Attachments"]);
const RANGE_TYPES: ReadonlySet<string> = new Set(["Numeric", "Int", "Date", "DateTime"]);

export interface CellFilterOptions {
  /** The type of the column. */
  readonly type: string;
  /** The document's, in which today is taken. */
  readonly timezone: string;
  readonly nowMs: number;
}

/** A filter in the form that widgets save, with what it means for cells of a type. */
export type FilterMeaning =
  | { readonly kind: "all" }
  | { readonly kind: "range"; readonly lower: number | undefined; readonly upper: number | undefined }
  /** `hasItems`: a list passes if one of its items does. */
  | {
      readonly kind: "values";
      readonly keys: ReadonlySet<unknown>;
      readonly isInclusive: boolean;
      readonly hasItems: boolean;
    };

/**
 * Reads a filter in the form that widgets save: `included` or `excluded` values, or `min` and `max` of a range, each a
 * number or a day relative to today. Ranges are about numbers and dates; other columns pass as a whole.
 * @throws AppError `invalid` when it is not such an object
 */
export function filterMeaning(spec: unknown, { type, timezone, nowMs }: CellFilterOptions): FilterMeaning {
  if (typeof spec !== "object" || spec === null) throw invalid("A filter must be a JSON object");
  const { included, excluded, min, max } = spec as Readonly<Record<string, unknown>>;
  const { base } = columnType(type);
  if (min !== undefined || max !== undefined) {
    const range = rangeOf({ min, max }, { type, timezone, nowMs });
    return RANGE_TYPES.has(base) ? { kind: "range", ...range } : { kind: "all" };
  }
  const isInclusive = included !== undefined;
  const list: unknown = isInclusive ? included : (excluded ?? []);
  if (!Array.isArray(list)) throw invalid("A filter must have a list of included or excluded values");
  if (!isInclusive && list.length === 0) return { kind: "all" };
  return { kind: "values", keys: new Set(list.map(keyOf)), isInclusive, hasItems: LIST_TYPES.has(base) };
}

/** Returns the test of a filter in the form that widgets save. @throws AppError `invalid` */
export function cellFilter(text: string, options: CellFilterOptions): CellFilter {
  const meaning = filterMeaning(parse(text), options);
  return { passes: filterTest(meaning, options.type), lookup: filterLookup(meaning) };
}

/** Returns the test of cells. Lists of choices or references pass if any of their items does. */
export function filterTest(meaning: FilterMeaning, type: string): (cell: CellValue) => boolean {
  if (meaning.kind === "all") return () => true;
  if (meaning.kind === "range") {
    const { lower = -Infinity, upper = Infinity } = meaning;
    return (cell) => typeof cell === "number" && cell >= lower && cell <= upper;
  }
  const { keys, isInclusive, hasItems } = meaning;
  const passes = (value: unknown): boolean => keys.has(keyOf(value)) === isInclusive;
  if (!hasItems) return passes;
  const emptyList = columnType(type).base === "ChoiceList" ? "" : null;
  return (cell) => {
    if (!isList(cell)) return passes(cell);
    return cell.length > 1 ? cell.slice(1).some(passes) : passes(emptyList);
  };
}

/** Returns cells that include all which pass; null where an index finds none. */
export function filterLookup(meaning: FilterMeaning): CellLookup | null {
  if (meaning.kind === "range") {
    const bound = (value: number | undefined) => (value === undefined ? null : { value, inclusive: true });
    return { kind: "range", range: { kind: "number", lower: bound(meaning.lower), upper: bound(meaning.upper) } };
  }
  return meaning.kind === "values" && meaning.isInclusive && !meaning.hasItems ? valueLookup(meaning.keys) : null;
}

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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

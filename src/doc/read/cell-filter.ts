import { invalid } from "../../errors.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { resolveBound } from "./relative-dates.ts";

/** Whether a cell may be seen. */
export type CellFilter = (value: CellValue) => boolean;

const LIST_TYPES = new Set(["ChoiceList", "RefList", "Attachments"]);

/**
 * A filter as widgets save it: values that are `included` or `excluded`, or `min` and `max` of a range, each a number
 * or a date told from today's. Lists of choices or references pass by any of their elements.
 * @throws AppError `invalid` when the text is no JSON object
 */
export function cellFilter(spec: string, { type, nowMs }: { type: string; nowMs: number }): CellFilter {
  const filterSpec = parse(spec);
  const { included, excluded, min, max } = filterSpec;
  if (min !== undefined || max !== undefined) {
    const { base } = columnType(type);
    const lowerBound = resolveBound(min, { end: false, base, nowMs });
    const upperBound = resolveBound(max, { end: true, base, nowMs });
    return (value) =>
      typeof value === "number" && value >= (lowerBound ?? -Infinity) && value <= (upperBound ?? Infinity);
  }
  const isInclusive = included !== undefined;
  const list: unknown = isInclusive ? included : (excluded ?? []);
  if (!Array.isArray(list)) throw invalid("A filter must list values that are included or excluded");
  const values = new Set(list.map(keyOf));
  const passes = (value: unknown): boolean => values.has(keyOf(value)) === isInclusive;
  if (!LIST_TYPES.has(columnType(type).base)) return passes;
  // An empty list counts as an empty text: that is what people pick in the list of values.
  return (value) =>
    isList(value) && value.length > 1 ? value.slice(1).some(passes) : passes(value === null ? "" : value);
}

/**
 * What another widget links to: `in` passes values that are listed, `intersects` lists with an element that is,
 * `empty` empty lists.
 * @throws AppError `invalid` for another operation
 */
export function linkFilter(allowed: readonly CellValue[], operation: unknown): CellFilter {
  const values = new Set(allowed.map(keyOf));
  switch (operation) {
    case "in":
      return (value) => values.has(keyOf(value));
    case "intersects":
      return (value) => isList(value) && value.slice(1).some((item) => values.has(keyOf(item)));
    case "empty":
      return (value) => !isList(value) || value.length === 1;
    default:
      throw invalid(`linkingFilter has the unknown operation ${JSON.stringify(operation)}`);
  }
}

/** Values that are no plain ones are the same when they read the same as JSON. */
const keyOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

function parse(spec: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(spec);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw invalid("A filter must be a JSON object");
}

import { invalid } from "../../errors.ts";
import { isList, type CellValue } from "../../values/cell.ts";
import { columnType } from "../../values/column-type.ts";
import { boundOf } from "./relative-dates.ts";

/** Whether a cell may be seen. */
export type CellFilter = (value: CellValue) => boolean;

const LISTS = new Set(["ChoiceList", "RefList", "Attachments"]);

/**
 * A filter as widgets save it: values that are `included` or `excluded`, or `min` and `max` of a range, each a number
 * or a date told from today's. Lists of choices or references pass by any of their elements.
 * @throws AppError `invalid` when the text is no JSON object
 */
export function cellFilter(spec: string, { type, nowMs }: { type: string; nowMs: number }): CellFilter {
  const given = parse(spec);
  const { included, excluded, min, max } = given;
  if (min !== undefined || max !== undefined) {
    const { base } = columnType(type);
    const least = boundOf(min, { end: false, base, nowMs });
    const most = boundOf(max, { end: true, base, nowMs });
    return (value) => typeof value === "number" && value >= (least ?? -Infinity) && value <= (most ?? Infinity);
  }
  const isInclusive = included !== undefined;
  const list: unknown = isInclusive ? included : (excluded ?? []);
  if (!Array.isArray(list)) throw invalid("A filter must list values that are included or excluded");
  const values = new Set(list.map(keyOf));
  const passes = (value: unknown): boolean => values.has(keyOf(value)) === isInclusive;
  if (!LISTS.has(columnType(type).base)) return passes;
  // An empty list counts as an empty text: that is what people pick in the list of values.
  return (value) =>
    isList(value) && value.length > 1 ? value.slice(1).some(passes) : passes(value === null ? "" : value);
}

/**
 * What another widget links to: `in` passes values that are listed, `intersects` lists with an element that is,
 * `empty` empty lists.
 * @throws AppError `invalid` for another operation
 */
export function linkFilter(wanted: readonly CellValue[], operation: unknown): CellFilter {
  const values = new Set(wanted.map(keyOf));
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

import type { CellValue } from "../../values/cell.ts";
import { compareValues } from "../read/sort-comparator.ts";

export interface RangeBound<Value extends number | string> {
  readonly value: Value;
  readonly inclusive: boolean;
}

interface Bounds<Value extends number | string> {
  readonly lower: RangeBound<Value> | null;
  readonly upper: RangeBound<Value> | null;
}

/**
 * A range of cells: numbers by value, or texts in the order of sorting. It contains no cells of other kinds (null,
 * booleans, lists, errors), and not NaN.
 */
export type CellRange = ({ readonly kind: "number" } & Bounds<number>) | ({ readonly kind: "text" } & Bounds<string>);

/** Returns true for a cell in the range. */
export const isInRange = (range: CellRange, cell: CellValue): boolean =>
  typeof cell === (range.kind === "number" ? "number" : "string") &&
  !Number.isNaN(cell) &&
  isAtOrAfterStart(range, cell) &&
  !isAfterEnd(range, cell);

/** Returns true for the first cell of the range and all that sort after it. */
export function isAtOrAfterStart({ kind, lower }: CellRange, cell: CellValue): boolean {
  if (Number.isNaN(lower?.value)) return false;
  // The smallest number, and the smallest text.
  const { value, inclusive } = lower ?? { value: kind === "number" ? Number.NEGATIVE_INFINITY : "", inclusive: true };
  const difference = compareValues(cell, value);
  return inclusive ? difference >= 0 : difference > 0;
}

/** Returns true for all cells that sort after the last one of the range. */
export function isAfterEnd({ kind, upper }: CellRange, cell: CellValue): boolean {
  if (Number.isNaN(upper?.value)) return true;
  // NaN sorts after the greatest number. No kind sorts after texts.
  if (!upper && kind === "text") return false;
  const { value, inclusive } = upper ?? { value: Number.POSITIVE_INFINITY, inclusive: true };
  const difference = compareValues(cell, value);
  return inclusive ? difference > 0 : difference >= 0;
}

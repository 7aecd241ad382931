import { CELL_CODES, type CellValue } from "../../values/cell.ts";
import { spendResult, memoryError } from "./budget.ts";
import { PyError } from "./errors.ts";

/** Maximum size of a formula's result: characters of a string, JSON size of other values. */
const MAX_BYTES = 16 * 1024 ** 2;
/** Maximum nesting of lists, the same as for values that users enter. */
const MAX_DEPTH = 100;
/** Shorter strings are not charged: a change that affects many cells is limited by their number. */
export const UNCOUNTED_TEXT_LENGTH = 1000;

/**
 * Throws an uncatchable PyError for a result that is too large or nested too deeply to be stored: a list that contains
 * the same large string a thousand times takes little memory until it becomes a cell.
 */
export function checkResultSize(cell: CellValue): void {
  if (typeof cell === "string") {
    if (cell.length <= UNCOUNTED_TEXT_LENGTH) return;
  } else if (!Array.isArray(cell)) return;
  spendResult(addSize(0, cell, 0));
}

/** Returns `total` plus the size of a value at this nesting level. */
function addSize(total: number, value: unknown, depth: number): number {
  let size = total + 8;
  if (typeof value === "string") size += value.length;
  else if (typeof value === "object" && value !== null) {
    if (depth >= MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) {
      // A dict is encoded as a list of its code and its entries: together one level.
      const inner = value[0] === CELL_CODES.dict ? depth : depth + 1;
      for (const item of value) size = addSize(size, item, inner);
    } else for (const [key, item] of Object.entries(value)) size = addSize(size + key.length, item, depth + 1);
  }
  if (size > MAX_BYTES) throw memoryError("the result is too large for a cell");
  return size;
}

const tooDeep = (): PyError =>
  new PyError("ValueError", "the result is nested too deeply for a cell", { catchable: false });

import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { checkGroupsOfRecord } from "../limits.ts";
import type { ColumnNode } from "./nodes.ts";

/** What rows are looked up by: a number or a text that equal cells share. */
export type Key = number | string;

/** How a column takes part in the key of a row. */
export interface LookupKeyColumn {
  /** Undefined for the row's id. */
  readonly node: ColumnNode | undefined;
  /**
   * `whole`: the cell as it is. `group`: the cell that a summary groups it by, none for an error or a set of records. `element`: each element
   * of a list. `reference`: each row of `target` that is referred to.
   */
  readonly by: "whole" | "group" | "element" | "reference";
  /** With `element`: what stands for an empty list. */
  readonly empty?: Key | undefined;
  /** With `reference`. */
  readonly target?: string;
}

/** Numbers and truth values are one family, and records stand for their rows; texts cannot be mistaken for anything else. */
export function cellKey(cell: CellValue): Key {
  if (typeof cell === "number") return cell;
  if (typeof cell === "string") return `"${cell}`;
  if (typeof cell === "boolean") return Number(cell);
  if (cell === null || (cell[0] === CELL_CODES.list && cell.length === 1)) return "null";
  if (cell[0] === CELL_CODES.reference && typeof cell[2] === "number") return cell[2];
  return JSON.stringify(cell);
}

/** The keys that a cell gives. */
export function keysOfCell(cell: CellValue, column: LookupKeyColumn): readonly Key[] {
  switch (column.by) {
    case "whole":
      return [cellKey(cell)];
    case "group": {
      const grouped = groupCell(cell, column.node);
      return grouped === undefined ? [] : [cellKey(grouped)];
    }
    case "element": {
      const items = Array.isArray(cell) && cell[0] === CELL_CODES.list ? cell.slice(1) : [];
      if (items.length > 0) return [...new Set(items.map((item) => cellKey(item as CellValue)))];
      return isEmptyList(cell) && column.empty !== undefined ? [column.empty] : [];
    }
    case "reference":
      return referredRows(cell, column.target);
    default:
      return column.by satisfies never;
  }
}

const DAY_S = 86_400;

/**
 * The cell that a summary groups a cell by: the day of a date. Undefined for errors and sets of records, which Python
 * cannot use as keys: their rows are in no group.
 */
export function groupCell(cell: CellValue, column: ColumnNode | undefined): CellValue | undefined {
  if (Array.isArray(cell) && (cell[0] === CELL_CODES.error || cell[0] === CELL_CODES.referenceList)) return undefined;
  const isDate = typeof cell === "number" && column?.kind.base === "Date";
  return isDate ? Math.floor(cell / DAY_S) * DAY_S : cell;
}

const isEmptyList = (cell: CellValue): boolean =>
  cell === null || (Array.isArray(cell) && cell[0] === CELL_CODES.list && cell.length === 1);

function referredRows(cell: CellValue, target: string | undefined): readonly number[] {
  if (typeof cell === "number") return [cell];
  if (!Array.isArray(cell)) return [];
  const [code, first, second] = cell;
  if (code === CELL_CODES.list) return cell.slice(1).filter((item) => typeof item === "number");
  if (code === CELL_CODES.reference && first === target && typeof second === "number") return [second];
  if (code === CELL_CODES.referenceList && first === target && Array.isArray(second)) {
    return second.filter((item) => typeof item === "number");
  }
  return [];
}

/** One key for several columns. */
export function joinKeys(parts: readonly Key[]): Key {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return parts.map((part) => (typeof part === "string" ? `${part.length}:${part}` : `n${part},`)).join("");
}

/** Every combination of what each column gives. @throws AppError `invalid` when they are too many */
export function combineKeys(parts: readonly (readonly Key[])[]): Key[] {
  // A single list gives no more than it holds.
  if (parts.length > 1) checkGroupsOfRecord(parts.reduce((count, keys) => count * keys.length, 1));
  let combined: Key[][] = [[]];
  for (const keys of parts) combined = combined.flatMap((head) => keys.map((key) => [...head, key]));
  return combined.map(joinKeys);
}

/** What tells maps of a table apart. */
export const keyColumnsId = (columns: readonly LookupKeyColumn[]): string =>
  columns.map(({ node, by, empty, target }) => JSON.stringify([node?.id ?? "id", by, empty, target])).join();

import { type CellValue, CELL_CODES } from "../../../values/cell.ts";
import { checkGroupsOfRecord } from "../../limits.ts";
import type { ColumnNode } from "../nodes.ts";

/** A lookup key: a number or short string that is the same for equal cells only. */
export type Key = number | string;

/** A column of a lookup key. */
export interface LookupKeyColumn {
  /** Undefined for the row's id. */
  readonly node: ColumnNode | undefined;
  /**
   * `whole`: the cell. `group`: the cell that a summary groups by, none for errors and sets of records. `element`: each
   * element of a list. `reference`: each row of `target` that the cell refers to.
   */
  readonly by: "whole" | "group" | "element" | "reference";
  /** With `element`: the key of empty lists. */
  readonly empty?: Key | undefined;
  /** With `reference`: the target table. */
  readonly target?: string;
}

/** Begins the keys of all values but texts and numbers; a text that begins with it is marked as a text. */
const MARK = "\0";

/** Longer keys are replaced by their digests, which are equal only for equal keys. */
const MAX_KEY_LENGTH = 40;
/** 144 bits: collisions cannot be found, not even on purpose. */
const DIGEST_LENGTH = 24;

/** Returns the key of a cell. Booleans equal 0 and 1, records equal their row ids, and texts equal only texts. */
export function cellKey(cell: CellValue): Key {
  const key = fullKey(cell);
  return typeof key === "string" && key.length > MAX_KEY_LENGTH ? digestOf(key) : key;
}

function digestOf(key: string): string {
  // As UTF-8, all lone surrogates would be equal.
  const encodable = key.isWellFormed() ? key : `${MARK}~${JSON.stringify(key)}`;
  return `${MARK}#${Bun.SHA256.hash(encodable, "base64").slice(0, DIGEST_LENGTH)}`;
}

function fullKey(cell: CellValue): Key {
  if (typeof cell === "number") return cell;
  if (typeof cell === "string") return cell.startsWith(MARK) ? `${MARK}"${cell}` : cell;
  if (typeof cell === "boolean") return Number(cell);
  if (cell === null || (cell[0] === CELL_CODES.list && cell.length === 1)) return `${MARK}null`;
  if (cell[0] === CELL_CODES.reference && typeof cell[2] === "number") return cell[2];
  return MARK + JSON.stringify(cell);
}

/** Returns the keys of a cell. */
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
 * Returns the cell that a summary groups by; for dates, the day. Undefined for errors and sets of records, which Python
 * cannot use as keys: their rows belong to no group.
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

/** Joins the keys of several columns. */
export function joinKeys(parts: readonly Key[]): Key {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return parts.map((part) => (typeof part === "string" ? `${part.length}:${part}` : `n${part},`)).join("");
}

/** Returns all combinations of the keys of several columns. @throws AppError `invalid` when there are too many */
export function combineKeys(parts: readonly (readonly Key[])[]): Key[] {
  // A single list cannot multiply.
  if (parts.length > 1) checkGroupsOfRecord(parts.reduce((count, keys) => count * keys.length, 1));
  let combined: Key[][] = [[]];
  for (const keys of parts) combined = combined.flatMap((head) => keys.map((key) => [...head, key]));
  return combined.map(joinKeys);
}

/** Returns the cache key of a lookup map within its table. */
export const keyColumnsId = (columns: readonly LookupKeyColumn[]): string =>
  columns.map(({ node, by, empty, target }) => JSON.stringify([node?.id ?? "id", by, empty, target])).join();

import type { CellValue } from "../../values/cell.ts";
import type { ColumnType } from "../../values/column-type.ts";
import type { OrderSpec } from "../read/row-ordering.ts";
import type { CellRange } from "./cell-range.ts";

export interface IndexedColumn {
  readonly id: string;
  readonly type: ColumnType;
}

/** The order of all rows of a table. */
export interface OrderReader {
  /** Returns the number of rows; null when the order cannot be used now. */
  count(): number | null;
  /** Returns the ids of a part of the order; null when it cannot be used now. */
  page(offset: number, limit: number): Uint32Array | null;
  /**
   * Returns the ids of all rows whose cell is in the range, in the order of the sort, which must be by one column,
   * ascending, without options. Null when they are more than `limit`, or the order cannot be used now.
   */
  range(range: CellRange, limit: number): Uint32Array | null;
}

/** The indexes that reads of a document use. */
export interface IndexSource {
  /**
   * Returns the ids of all rows whose cell in the column equals one of the values, and possibly of others, ascending.
   * Null when there is no index, or too many rows are found: the caller reads the table.
   */
  findRows(table: string, field: IndexedColumn, values: readonly CellValue[]): number[] | null;
  /** Returns the order of a sort; null when there is no index, or it cannot be used now. */
  findOrder(spec: OrderSpec): OrderReader | null;
  /**
   * Returns the ids of all rows in which the folded words may occur, in these columns: all in which they occur, and others,
   * ascending. Null when there is no index, or too many rows are found: the caller reads the table.
   */
  findTexts(table: string, fields: readonly IndexedColumn[], words: readonly string[]): number[] | null;
  /**
   * Takes the order of a sort that was computed for a request, of the last commit, which saves building it.
   * @param ids the ids of all rows
   */
  takeOrder(spec: OrderSpec, ids: ArrayLike<number>): void;
}

/** A lookup that finds more than this share of the rows reads them in order instead. */
const MIN_SELECTIVITY = 64;
const MIN_CANDIDATES = 256;

/** A range that finds more than this share of the rows reads the table instead. */
const MIN_RANGE_SELECTIVITY = 8;

/** Returns how many rows a range may find. @param rows the number of rows of the table */
export const maxInRange = (rows: number): number => Math.max(MIN_CANDIDATES, Math.floor(rows / MIN_RANGE_SELECTIVITY));

/** Returns how many rows a lookup may find. @param rows an upper bound of the table's rows */
export const maxCandidates = (rows: number): number => Math.max(MIN_CANDIDATES, Math.floor(rows / MIN_SELECTIVITY));

import { invalid } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { compileFilter, type Filter, type SqlCondition } from "./filter.ts";
import { findOrder } from "./row-order.ts";
import { cachedIds, orderedIds } from "./ordered-ids.ts";
import type { Selection } from "./row-scan.ts";
import type { SortKey } from "./parse-sort.ts";
import { createVisibleRows } from "./visible-rows.ts";
import type { VisibleTable } from "./visibility-filter.ts";
import type { ReadTable } from "./read-table.ts";

/** The rows of a table to select, their order, and how many. */
export interface RowQuery {
  readonly filter: Filter | null;
  readonly sort: readonly SortKey[];
  /** Infinity when there is none. */
  readonly limit: number;
  /** How many rows are skipped. */
  readonly offset?: number;
  /** Whether to count the rows without limit and offset. */
  readonly total?: boolean;
}

/**
 * Resolves a query to a selection of rows visible to the caller. Sorting happens here; the rows themselves are read
 * later.
 * @throws AppError `invalid` for an unknown column in the filter
 */
export function selectRows(
  document: OpenDocument,
  visibleTable: VisibleTable,
  { filter, sort, limit, offset = 0, total = false }: RowQuery,
): Selection {
  const { table } = visibleTable;
  const where = compileFilter(table, filter);
  const visibleRows = createVisibleRows(visibleTable.rows, Object.keys(filter ?? {}));
  const query = { visibleTable, visibleRows, where, sort };
  const cached = cachedIds(document, query);
  // SQLite counts the rows if none need checking, which is faster than ordering them.
  if (!cached && offset === 0 && (!total || (visibleRows === null && table.isStored))) {
    const order = findOrder(document, { table, where, sort, limit, visibleRows });
    return { where, order, limit, visibleRows, ...(total && { total: countRows(document, table, where) }) };
  }
  const ids = cached ?? orderedIds(document, query);
  const order = { kind: "list", ids: ids.subarray(offset, offset + limit) } as const;
  return { where, order, limit, visibleRows, ...(total && { total: ids.length }) };
}

function countRows(document: OpenDocument, { from }: ReadTable, where: SqlCondition): number {
  const condition = where.sql && `where ${where.sql}`;
  return Number(document.db.values(`select count(*) from ${from} ${condition}`, ...where.args)[0]?.[0] ?? 0);
}

/**
 * Parses the limit of a query: its leading integer counts; 0 or nothing means none.
 * @throws AppError `invalid` when it is not a number or negative
 */
export function parseLimit(text: string | undefined): number {
  if (text === undefined || text === "") return Number.POSITIVE_INFINITY;
  return checkLimit(Number.parseInt(text, 10));
}

/**
 * Parses the offset of a query: its leading integer counts; nothing means none.
 * @throws AppError `invalid` when it is not a number or negative
 */
export function parseOffset(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const offset = Number.parseInt(text, 10);
  if (!(offset >= 0)) throw invalid("offset must be a non-negative number");
  return offset;
}

/** Validates a numeric limit: truncated to an integer; 0 means none. @throws AppError `invalid` */
export function checkLimit(limit: number): number {
  if (!(limit >= 0)) throw invalid("limit must be a non-negative number");
  return Math.trunc(limit) || Number.POSITIVE_INFINITY;
}

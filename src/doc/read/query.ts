import { invalid } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { compileFilter, type Filter, type Where } from "./filter.ts";
import { findOrder } from "./order.ts";
import { knownIds, orderedIds } from "./pages.ts";
import type { Selection } from "./rows.ts";
import type { SortKey } from "./sort.ts";
import { seenRows } from "./seen-rows.ts";
import type { SeenTable } from "./seen.ts";
import type { ReadTable } from "./table.ts";

/** Which rows of a table, in which order, how many. */
export interface RowQuery {
  readonly filter: Filter | null;
  readonly sort: readonly SortKey[];
  /** Infinity when there is none. */
  readonly limit: number;
  /** How many rows are passed over. */
  readonly offset?: number;
  /** Whether to tell how many rows there are without limit and offset. */
  readonly total?: boolean;
}

/**
 * Finds out which rows a query means, of those that the caller sees. Sorts are done here, rows themselves are read
 * later.
 * @throws AppError `invalid` for an unknown column in the filter.
 */
export function selectRows(
  document: OpenDocument,
  from: SeenTable,
  { filter, sort, limit, offset = 0, total = false }: RowQuery,
): Selection {
  const { table } = from;
  const where = compileFilter(table, filter);
  const seen = seenRows(from.rows, Object.keys(filter ?? {}));
  const wanted = { seen: from, rows: seen, where, sort };
  const known = knownIds(document, wanted);
  // Rows that need not be looked at are counted by SQLite, which is done before they could be put in order.
  if (!known && offset === 0 && (!total || (seen === null && table.isStored))) {
    const order = findOrder(document, { table, where, sort, limit, seen });
    return { where, order, limit, seen, ...(total && { total: countRows(document, table, where) }) };
  }
  const ids = known ?? orderedIds(document, wanted);
  const order = { kind: "list", ids: ids.subarray(offset, offset + limit) } as const;
  return { where, order, limit, seen, ...(total && { total: ids.length }) };
}

function countRows(document: OpenDocument, { from }: ReadTable, where: Where): number {
  const condition = where.sql && `where ${where.sql}`;
  return Number(document.db.values(`select count(*) from ${from} ${condition}`, ...where.args)[0]?.[0] ?? 0);
}

/**
 * A limit from a query: its leading integer counts; 0 or nothing means none.
 * @throws AppError `invalid` for what is no number, and for negative ones.
 */
export function parseLimit(text: string | undefined): number {
  if (text === undefined || text === "") return Number.POSITIVE_INFINITY;
  return checkLimit(Number.parseInt(text, 10));
}

/**
 * How many rows to pass over, from a query: its leading integer counts; nothing means none.
 * @throws AppError `invalid` for what is no number, and for negative ones.
 */
export function parseOffset(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const offset = Number.parseInt(text, 10);
  if (!(offset >= 0)) throw invalid("offset must be a number that is not negative");
  return offset;
}

/**
 * A limit given as a number: cut to an integer; 0 means none.
 * @throws AppError `invalid`
 */
export function checkLimit(limit: number): number {
  if (!(limit >= 0)) throw invalid("limit must be a number that is not negative");
  return Math.trunc(limit) || Number.POSITIVE_INFINITY;
}

import { invalid } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { compileFilter, type Filter } from "./filter.ts";
import { findOrder } from "./order.ts";
import type { Selection } from "./rows.ts";
import type { SortKey } from "./sort.ts";
import { seenRows } from "./seen-rows.ts";
import type { SeenTable } from "./seen.ts";

/** Which rows of a table, in which order, how many. */
export interface RowQuery {
  readonly filter: Filter | null;
  readonly sort: readonly SortKey[];
  /** Infinity when there is none. */
  readonly limit: number;
}

/**
 * Finds out which rows a query means, of those that the caller sees. Sorts are done here, rows themselves are read
 * later.
 * @throws AppError `invalid` for an unknown column in the filter.
 */
export function selectRows(
  document: OpenDocument,
  { table, rows }: SeenTable,
  { filter, sort, limit }: RowQuery,
): Selection {
  const where = compileFilter(table, filter);
  const seen = seenRows(rows, Object.keys(filter ?? {}));
  return { where, order: findOrder(document, { table, where, sort, limit, seen }), limit, seen };
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
 * A limit given as a number: cut to an integer; 0 means none.
 * @throws AppError `invalid`
 */
export function checkLimit(limit: number): number {
  if (!(limit >= 0)) throw invalid("limit must be a number that is not negative");
  return Math.trunc(limit) || Number.POSITIVE_INFINITY;
}

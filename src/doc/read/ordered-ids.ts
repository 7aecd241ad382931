import type { OpenDocument } from "../document.ts";
import { keyOfCondition, type SqlCondition } from "../filters/sql-condition.ts";
import { untilCommit } from "../until-commit.ts";
import { offerOrder } from "./index-reads.ts";
import { findOrder } from "./row-order.ts";
import { scanIds } from "./row-scan.ts";
import type { VisibleRows } from "./visible-rows.ts";
import type { SortKey } from "./parse-sort.ts";
import type { VisibleTable } from "./visibility-filter.ts";

/** All rows of a query, ordered. */
export interface OrderedIdsQuery {
  readonly visibleTable: VisibleTable;
  readonly visibleRows: VisibleRows | null;
  readonly where: SqlCondition;
  readonly sort: readonly SortKey[];
}

const knownLists = untilCommit<Float64Array>();

/** The maximum number of cached ids per document, which take 16 MB. */
const MAX_CACHED_IDS = 2_000_000;

/**
 * Returns the ids of all rows of a query in order. Clients that page through a table request the same order repeatedly:
 * it is cached per state of the document, and per reader where rules make a difference.
 */
export function orderedIds(document: OpenDocument, query: OrderedIdsQuery): Float64Array {
  const cached = cachedIds(document, query);
  if (cached) return cached;
  const ids = cacheIds(document, cacheKeyOf(query), findIds(document, query));
  const { visibleTable, visibleRows, where, sort } = query;
  if (visibleRows === null && where.sql === "") offerOrder(document, visibleTable.table, { sort, ids });
  return ids;
}

/** Like `orderedIds`, but only from the cache; undefined when not cached. */
export function cachedIds(document: OpenDocument, query: OrderedIdsQuery): Float64Array | undefined {
  const lists = knownLists(document);
  // Most documents are never paged through.
  if (lists.size === 0) return undefined;
  const name = cacheKeyOf(query);
  const ids = lists.get(name);
  return ids && cacheIds(document, name, ids);
}

/** How many of the first rows are ordered together: readers mostly continue with the next page. */
export const MAX_PREFIX = 1000;

/** Returns the ids of the first rows of a query in order, `MAX_PREFIX` at most. For orders that are not by id. */
export function firstIds(document: OpenDocument, query: OrderedIdsQuery): Float64Array {
  const lists = knownLists(document);
  const cacheKey = `first ${cacheKeyOf(query)}`;
  const cached = lists.get(cacheKey);
  if (cached) return cached;
  const { visibleTable, visibleRows, where, sort } = query;
  const order = findOrder(document, { table: visibleTable.table, where, sort, limit: MAX_PREFIX, visibleRows });
  const ids = order.kind === "list" ? Float64Array.from(order.ids) : findIds(document, query);
  return cacheIds(document, cacheKey, ids);
}

function cacheIds(document: OpenDocument, cacheKey: string, ids: Float64Array): Float64Array {
  const lists = knownLists(document);
  // Moves the entry to the end: least recently used entries are evicted first.
  lists.delete(cacheKey);
  lists.set(cacheKey, ids);
  let total = lists.values().reduce((sum, list) => sum + list.length, 0);
  for (const [oldest, list] of lists) {
    if (total <= MAX_CACHED_IDS) break;
    lists.delete(oldest);
    total -= list.length;
  }
  return ids;
}

function cacheKeyOf({ visibleTable, visibleRows, where, sort }: OrderedIdsQuery): string {
  const keys = sort.map(({ field, descending, options }) => [field?.id ?? null, descending, options]);
  // Metadata tables are read through a query that differs between readers.
  return JSON.stringify([
    visibleTable.table.from,
    keys,
    keyOfCondition(where),
    visibleRows && [visibleTable.readerKey, visibleRows.key],
  ]);
}

function findIds(
  document: OpenDocument,
  { visibleTable: { table }, visibleRows, where, sort }: OrderedIdsQuery,
): Float64Array {
  const limit = Number.POSITIVE_INFINITY;
  const order = findOrder(document, { table, where, sort, limit, visibleRows });
  if (order.kind === "list") return Float64Array.from(order.ids);
  return Float64Array.from(scanIds(document, table, { where, order, limit, visibleRows }));
}

import { invalid } from "../../errors.ts";
import type { OpenDocument } from "../document.ts";
import { type CompiledFilter, compileFilter } from "../filters/compile-filter.ts";
import type { Filter } from "../filters/parse-filter.ts";
import { allOf, MATCH_ALL } from "../filters/sql-condition.ts";
import { findIndexedOrder, findIndexedRows, idsCondition } from "./index-reads.ts";
import { effectiveKeys, findOrder } from "./row-order.ts";
import { cachedIds, firstIds, MAX_PREFIX, orderedIds, type OrderedIdsQuery } from "./ordered-ids.ts";
import { simplerSort } from "./position-order.ts";
import { ALL_ROWS, countRows, rangeAt } from "./row-counts.ts";
import { type RowOrder, scanIds, type Selection } from "./row-scan.ts";
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

interface CompiledQuery extends Omit<RowQuery, "filter"> {
  readonly compiled: CompiledFilter | null;
}

/**
 * Resolves a query to a selection of rows visible to the caller. Sorting happens here; the rows themselves are read
 * later.
 * @throws AppError `invalid` for an unknown column in the filter
 */
export function selectRows(
  document: OpenDocument,
  visibleTable: VisibleTable,
  { filter, ...query }: RowQuery,
): Selection {
  return selectCompiled(document, visibleTable, { ...query, compiled: compile(document, visibleTable, filter) });
}

/** As `selectRows`, with a filter that is compiled. */
export function selectCompiled(
  document: OpenDocument,
  visibleTable: VisibleTable,
  { compiled, sort: requested, limit, offset = 0, total = false }: CompiledQuery,
): Selection {
  const isIndexed = compiled === null && visibleTable.rows === null;
  const sort = isIndexed ? requested : simplerSort(document, visibleTable.table, requested);
  const page = { sort, limit, offset, total };
  const indexed = visibleTable.rows === null ? selectByIndex(document, visibleTable, { ...page, compiled }) : null;
  if (indexed) return indexed;
  const query = { ...page, visibleTable, ...matchedRows(visibleTable, compiled, { isCounted: total }) };
  const skipped = query.visibleRows === null ? skipInSqlite(document, query) : null;
  return skipped ?? selectByReading(document, query);
}

/** Returns a compiled filter; null for none. @throws AppError `invalid` */
export const compile = (
  document: OpenDocument,
  visibleTable: VisibleTable,
  filter: Filter | null,
): CompiledFilter | null => filter && compileFilter(document, visibleTable, filter);

/** Returns how a filter selects the rows that a caller sees. @throws AppError `invalid` */
export function compileQuery(
  document: OpenDocument,
  visibleTable: VisibleTable,
  filter: Filter | null,
): Pick<Selection, "where" | "visibleRows"> {
  return matchedRows(visibleTable, compile(document, visibleTable, filter));
}

/**
 * SQLite decides alone where it can, for callers who see each row completely or do not see it.
 * @param isCounted whether the rows will be counted if SQLite can
 */
export function matchedRows(
  visibleTable: VisibleTable,
  compiled: CompiledFilter | null,
  { isCounted = false } = {},
): Pick<Selection, "where" | "visibleRows"> {
  const { table, rows } = visibleTable;
  const seen = rows === null ? MATCH_ALL : rows.whole();
  if (seen === null)
    return { where: compiled?.where ?? MATCH_ALL, visibleRows: createVisibleRows(visibleTable, compiled?.test) };
  const exact = compiled ? compiled.exactWhere(isCounted ? seen : null) : MATCH_ALL;
  const visibleRows = exact ? null : createVisibleRows({ table, rows: null }, compiled?.test);
  return { where: allOf([seen, exact ?? compiled?.where ?? MATCH_ALL]), visibleRows };
}

interface PageQuery extends OrderedIdsQuery {
  readonly limit: number;
  readonly offset: number;
  readonly total: boolean;
}

/** Selects rows with the help of an index, for a caller who sees all rows completely; null when none helps. */
function selectByIndex(
  document: OpenDocument,
  visibleTable: VisibleTable,
  { compiled, sort, limit, offset = 0, total = false }: CompiledQuery,
): Selection | null {
  const { table } = visibleTable;
  const select = (ids: ArrayLike<number>, count: number | null): Selection => {
    const order = { kind: "list", ids } as const;
    return { where: MATCH_ALL, order, limit, visibleRows: null, ...(total && count !== null && { total: count }) };
  };
  if (compiled) {
    const found = findMatchingByIndex(document, visibleTable, compiled);
    if (!found) return null;
    const ids = sortRows(document, table, { ids: found, sort });
    return select(ids.slice(offset, offset + limit), ids.length);
  }
  // The first rows by id are found without an index.
  if (offset === 0 && isById(sort)) return null;
  const order = findIndexedOrder(document, table, sort);
  const ids = order?.page(offset, limit);
  return order && ids ? select(ids, order.count()) : null;
}

/** Returns the ids of all rows that match, ascending; null when no index helps. */
function findMatchingByIndex(
  document: OpenDocument,
  visibleTable: VisibleTable,
  { where, lookups, test }: CompiledFilter,
): number[] | null {
  const { table } = visibleTable;
  const ids = findIndexedRows(document, table, { lookups, where });
  if (!ids || ids.length === 0 || test.isExact) return ids;
  const selection = {
    where: MATCH_ALL,
    order: { kind: "list", ids },
    limit: Number.POSITIVE_INFINITY,
    visibleRows: createVisibleRows(visibleTable, test),
  } as const;
  return scanIds(document, table, selection);
}

/** Sorts rows that are given by ascending ids, and of which all cells are visible. */
export function sortRows(
  document: OpenDocument,
  table: ReadTable,
  { ids, sort }: { ids: readonly number[]; sort: readonly SortKey[] },
): number[] {
  const where = idsCondition(ids);
  const order = findOrder(document, { table, where, sort, limit: Number.POSITIVE_INFINITY, visibleRows: null });
  if (order.kind === "list") return Array.from(order.ids);
  return order.descending ? ids.toReversed() : [...ids];
}

/** True if rows are sorted by id. */
export const isById = (sort: readonly SortKey[]): boolean => {
  const [first] = effectiveKeys(sort);
  return !first || first.field === null;
};

/** Skips rows by id in SQLite, which takes a tenth of the time of reading all ids. */
function skipInSqlite(document: OpenDocument, query: PageQuery): Selection | null {
  const { visibleTable, where, sort, limit, offset, total } = query;
  const { table } = visibleTable;
  if (offset === 0 || limit > MAX_SKIPPED_LIMIT || !table.isStored || !isById(sort) || cachedIds(document, query)) {
    return null;
  }
  const count = total ? { total: countRows(document, table, where) } : {};
  const descending = effectiveKeys(sort)[0]?.descending ?? false;
  const { firstId, rowsBefore } = descending ? ALL_ROWS : rangeAt(document, table, { where, offset });
  const condition = `where ${where.sql && `(${where.sql}) and `}id >= ?`;
  const sql = `select id from ${table.from} ${condition} order by id ${descending ? "desc" : "asc"} limit ? offset ?`;
  const ids = document.db.values(sql, ...where.args, firstId, limit, offset - rowsBefore).map(([id]) => Number(id));
  return { where, order: { kind: "list", ids }, limit, visibleRows: null, ...count };
}

/** Pages up to this size are skipped to in SQLite. */
const MAX_SKIPPED_LIMIT = 10_000;

function selectByReading(document: OpenDocument, query: PageQuery): Selection {
  const { visibleTable, visibleRows, where, sort, limit, offset, total } = query;
  const { table } = visibleTable;
  const select = (order: RowOrder, count: number | null): Selection => ({
    where,
    order,
    limit,
    visibleRows,
    ...(total && count !== null && { total: count }),
  });
  const cached = cachedIds(document, query);
  // SQLite counts the rows if none need checking, which is faster than ordering them.
  const canCount = !total || (visibleRows === null && table.isStored);
  if (!cached && canCount && (offset === 0 || offset + limit <= MAX_PREFIX) && (offset === 0 || !isById(sort))) {
    const count = total ? countRows(document, table, where) : null;
    if (isById(sort) || limit > MAX_PREFIX)
      return select(findOrder(document, { table, where, sort, limit, visibleRows }), count);
    const ids = firstIds(document, query);
    return select({ kind: "list", ids: ids.subarray(offset, offset + limit) }, count);
  }
  const ids = cached ?? orderedIds(document, query);
  return select({ kind: "list", ids: ids.subarray(offset, offset + limit) }, ids.length);
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

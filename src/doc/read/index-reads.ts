import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import type { CellValue } from "../../values/cell.ts";
import type { CellRange } from "../indexes/cell-range.ts";
import { maxInRange, type OrderReader } from "../indexes/index-source.ts";
import type { ColumnCondition } from "./cell-filter.ts";
import { allOf, type SqlCondition } from "../filters/sql-condition.ts";
import { NO_OPTIONS, type SortKey } from "./parse-sort.ts";
import type { ReadField, ReadTable } from "./read-table.ts";
import { orderSpec } from "./row-order.ts";

/**
 * Reads with the help of the document's indexes. Only for callers who see all rows of the table completely: for all
 * others a lookup would take longer where hidden rows match.
 */

/** A filter on more values reads the table. */
const MAX_VALUES = 1000;

/**
 * Returns the ids of rows among which are all that match every condition, ascending, from the index that finds the
 * fewest. The caller checks the rows. Null when no index helps.
 */
export function findCandidates(
  document: OpenDocument,
  table: ReadTable,
  conditions: readonly ColumnCondition[],
): number[] | null {
  if (!isIndexable(document, table)) return null;
  let candidates: ArrayLike<number> | null = null;
  for (const { field, lookup } of conditions) {
    if (field.absent !== undefined) continue;
    const found =
      lookup.kind === "values"
        ? findValues(document, table, { field, values: lookup.values })
        : findRange(document, table, { field, range: lookup.range });
    if (found && (candidates === null || found.length < candidates.length)) candidates = found;
  }
  return candidates && Array.from(candidates).toSorted((a, b) => a - b);
}

const findValues = (
  { indexes }: OpenDocument,
  { id }: ReadTable,
  { field, values }: { field: ReadField; values: readonly CellValue[] },
): number[] | null => (values.length > MAX_VALUES ? null : indexes.findRows(id, field, values));

/** Returns the ids of the rows whose cell is in a range, in any order; null without an index, or if they are many. */
function findRange(
  { indexes }: OpenDocument,
  table: ReadTable,
  { field, range }: { field: ReadField; range: CellRange },
): Uint32Array | null {
  const order = indexes.findOrder(orderSpec(table, [{ field, descending: false, options: NO_OPTIONS }]));
  const count = order?.count() ?? null;
  return order && count !== null ? order.range(range, maxInRange(count)) : null;
}

/** Returns the ids of the rows that satisfy a condition, ascending; null when no index helps. */
export function findIndexedRows(
  document: OpenDocument,
  table: ReadTable,
  { lookups, where }: { lookups: readonly ColumnCondition[]; where: SqlCondition },
): number[] | null {
  const candidates = findCandidates(document, table, lookups);
  return candidates && verify(document, table, { ids: candidates, where });
}

/** Returns those of the rows that match the condition: an index may find others as well. */
function verify(
  document: OpenDocument,
  { from }: ReadTable,
  { ids, where }: { ids: readonly number[]; where: SqlCondition },
): number[] {
  if (ids.length === 0) return [];
  const { sql, args } = allOf([idsCondition(ids), where]);
  return document.db.values(`select id from ${from} where ${sql} order by id`, ...args).map(([id]) => Number(id));
}

/** Returns those of the candidates that exist, ascending: an index may also find rows that were removed. */
export function existingRows({ db }: OpenDocument, { from }: ReadTable, ids: readonly number[]): number[] {
  const { sql, args } = idsCondition(ids);
  return db.values(`select id from ${from} where ${sql} order by id`, ...args).map(([id]) => Number(id));
}

/** Returns the ids of rows in whose columns the folded words may occur, ascending; null when no index helps. */
export const findTextRows = (
  document: OpenDocument,
  table: ReadTable,
  { fields, words }: { fields: readonly ReadField[]; words: readonly string[] },
): number[] | null => (isIndexable(document, table) ? document.indexes.findTexts(table.id, fields, words) : null);

/** Returns the condition that a row has one of the ids. */
export const idsCondition = (ids: readonly number[]): SqlCondition => ({
  sql: "id in (select value from json_each(?))",
  args: [JSON.stringify(ids)],
});

/** Returns the order of all rows of a table; null when there is no index of it. */
export function findIndexedOrder(
  document: OpenDocument,
  table: ReadTable,
  sort: readonly SortKey[],
): OrderReader | null {
  return isIndexable(document, table) ? document.indexes.findOrder(orderSpec(table, sort)) : null;
}

/** Passes the ids of all rows, in the order of the last commit, to an index that is being built. */
export function offerOrder(
  document: OpenDocument,
  table: ReadTable,
  { sort, ids }: { sort: readonly SortKey[]; ids: ArrayLike<number> },
): void {
  if (isIndexable(document, table)) document.indexes.takeOrder(orderSpec(table, sort), ids);
}

/** Metadata tables are small, and may be read through a query. */
const isIndexable = ({ schema }: OpenDocument, { id, from, isStored }: ReadTable): boolean =>
  isStored && from === quote(id) && schema.tableById.has(id);

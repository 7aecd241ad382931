import type { SqlValue } from "../../sqlite/database.ts";
import type { Change } from "./change.ts";
import type { ColumnValues, RowValues } from "./doc-action.ts";
import { columnOf } from "./catalog.ts";
import { highestId } from "./row-storage.ts";

/** Writes records of metadata tables by id. Values must have the column's type: nothing is parsed or converted. */

/** Appends records and returns their ids. Missing columns get the default of their type. */
export function addMetadata(change: Change, table: string, rows: readonly RowValues[]): number[] {
  if (rows.length === 0) return [];
  const first = highestId(change.db, table) + 1;
  const ids = rows.map((_, i) => first + i);
  const catalogTable = change.catalog.table(table);
  const values: ColumnValues = {};
  for (const name of new Set(rows.flatMap((row) => Object.keys(row)))) {
    const fallback = columnOf(catalogTable, name).kind.defaultValue;
    values[name] = rows.map((row) => row[name] ?? fallback);
  }
  change.apply(["BulkAddRecord", table, ids, values]);
  return ids;
}

/** Sets the same values in all given records. */
export function updateMetadata(
  change: Change,
  table: string,
  ids: readonly number[] | number,
  values: RowValues,
): void {
  const list = typeof ids === "number" ? [ids] : [...ids];
  if (list.length === 0 || Object.keys(values).length === 0) return;
  const columns = Object.entries(values).map(([column, value]) => [column, list.map(() => value)] as const);
  change.apply(["BulkUpdateRecord", table, list, Object.fromEntries(columns)]);
}

export function removeMetadata(change: Change, table: string, ids: readonly number[]): void {
  if (ids.length > 0) change.apply(["BulkRemoveRecord", table, [...ids]]);
}

/** Returns the ids in the first column of a metadata query. */
export const metadataIds = (change: Change, sql: string, ...args: SqlValue[]): number[] =>
  change.db.values(sql, ...args).map(([id]) => Number(id));

/** Returns the ids in a stored list of references. */
export function idsOf(stored: unknown): number[] {
  if (typeof stored !== "string" || !stored.startsWith("[")) return [];
  try {
    const list: unknown = JSON.parse(stored);
    return Array.isArray(list) ? list.filter((item) => typeof item === "number") : [];
  } catch {
    return [];
  }
}

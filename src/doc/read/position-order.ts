import type { OpenDocument } from "../document.ts";
import { findIndexedOrder } from "./index-reads.ts";
import { effectiveKeys } from "./row-order.ts";
import { NO_OPTIONS, type SortKey } from "./parse-sort.ts";
import type { ReadTable } from "./read-table.ts";
import { untilCommit } from "../until-commit.ts";

const knownTables = untilCommit<boolean>();

/**
 * Returns a sort with the same result that needs less work: rows that were never moved are in the order of their ids, which
 * SQLite reads without sorting, and only as far as a page needs. Known only where there is an index of positions.
 */
export function simplerSort(document: OpenDocument, table: ReadTable, sort: readonly SortKey[]): readonly SortKey[] {
  const [first, ...others] = effectiveKeys(sort);
  const isByPosition = first?.field?.id === "manualSort" && !first.descending && others.length === 0;
  return isByPosition && followsIds(document, table) ? [] : sort;
}

function followsIds(document: OpenDocument, table: ReadTable): boolean {
  const known = knownTables(document);
  const before = known.get(table.id);
  if (before !== undefined) return before;
  const ids = orderByPosition(document, table);
  if (ids === null) return false;
  const follows = ids.every((id, at) => at === 0 || (ids[at - 1] ?? 0) < id);
  known.set(table.id, follows);
  return follows;
}

function orderByPosition(document: OpenDocument, table: ReadTable): Uint32Array | null {
  const field = table.fieldById.get("manualSort");
  if (!field) return null;
  const order = findIndexedOrder(document, table, [{ field, descending: false, options: NO_OPTIONS }]);
  const count = order?.count() ?? null;
  return order && count !== null ? order.page(0, count) : null;
}

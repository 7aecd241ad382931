import { compileFilter } from "../filters/compile-filter.ts";
import type { Filter } from "../filters/parse-filter.ts";
import { allOf, MATCH_ALL } from "../filters/sql-condition.ts";
import type { OpenDocument } from "../document.ts";
import { findCandidates, idsCondition } from "./index-reads.ts";
import { scanIds } from "./row-scan.ts";
import { createVisibleRows } from "./visible-rows.ts";
import type { VisibleTable } from "./visibility-filter.ts";

/**
 * Returns the ids of all rows that a filter selects for a caller, ascending. Reads the present state, inside a
 * transaction as well: nothing that it finds is cached.
 * @throws AppError `invalid`
 */
export function findMatchingRows(document: OpenDocument, visible: VisibleTable, filter: Filter): number[] {
  const { table, rows } = visible;
  if (!table.isStored) return [];
  const { where, test, lookups } = compileFilter(document, visible, filter);
  const candidates = rows === null ? findCandidates(document, table, lookups) : null;
  return scanIds(document, table, {
    where: allOf([where, candidates ? idsCondition(candidates) : MATCH_ALL]),
    order: { kind: "id", descending: false },
    limit: Number.POSITIVE_INFINITY,
    visibleRows: createVisibleRows(visible, test),
  });
}

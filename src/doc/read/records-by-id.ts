import type { DocumentGrant } from "../../authorization.ts";
import type { ChunkIterator } from "../cursors.ts";
import type { OpenDocument } from "../document.ts";
import { MATCH_ALL } from "../filters/sql-condition.ts";
import { existingRows } from "./index-reads.ts";
import { recordChunks } from "./record-chunks.ts";
import { visibilityFor } from "./visibility-filter.ts";
import { createVisibleRows } from "./visible-rows.ts";

/**
 * Yields the records of a table with these ids, in their order, as the caller reads them: without rows and columns that
 * access rules hide. Empty where the whole table is hidden.
 */
export function recordsById(
  document: OpenDocument,
  grant: DocumentGrant,
  { table: name, ids }: { table: string; ids: readonly number[] },
): ChunkIterator {
  const visibility = visibilityFor(document, grant);
  if (!visibility.canSeeTable(name)) return ['{"records":[]}'].values();
  const visible = visibility.readTable(name);
  const { table } = visible;
  const existing = new Set(table.isStored ? existingRows(document, table, ids) : []);
  const listed = ids.filter((id) => existing.has(id));
  return recordChunks({ db: document.db }, table, {
    form: { hidden: false, cells: "plain" },
    selection: {
      where: MATCH_ALL,
      order: { kind: "list", ids: listed },
      limit: listed.length,
      visibleRows: createVisibleRows(visible),
    },
  });
}

import type { CellValue } from "../../values/cell.ts";
import type { Change } from "./change.ts";
import { type ColumnValues, type DocAction, isMetadataTable } from "./doc-action.ts";
import { existingIds } from "./row-storage.ts";

/**
 * Returns the part of a history step that still applies when the step is replayed on a later state of the document;
 * undefined when nothing remains. Results of formulas and rows of summaries are derived and recomputed at the end, so a
 * missing or existing row of theirs does not fail the replay.
 */
export function remainingStep(change: Change, action: DocAction): DocAction | undefined {
  const [name, table] = action;
  if ((name !== "BulkAddRecord" && name !== "BulkUpdateRecord") || isMetadataTable(table)) return action;
  const isSummary = (change.schema.tableById.get(table)?.summarySourceTable ?? 0) > 0;
  if (name === "BulkAddRecord") return isSummary ? filterRows(change, action, { present: false }) : action;
  const columns = change.catalog.find(table)?.columns;
  const names = Object.keys(action[3]);
  const isComputed = names.length > 0 && names.every((column) => columns?.get(column)?.isFormula);
  return isSummary || isComputed ? filterRows(change, action, { present: true }) : action;
}

type RowStep = Extract<DocAction, readonly ["BulkAddRecord" | "BulkUpdateRecord", ...unknown[]]>;

/** Reduces the action to the rows that the table has (`present`) or lacks. */
function filterRows(change: Change, action: RowStep, { present }: { present: boolean }): DocAction | undefined {
  const [name, table, ids, values] = action;
  if (!change.catalog.find(table)) return action;
  const existing = existingIds(change.db, table, ids);
  const keptIndexes = ids.flatMap((id, r) => (existing.has(id) === present ? [r] : []));
  if (keptIndexes.length === ids.length) return action;
  if (keptIndexes.length === 0) return undefined;
  const pick = (cells: readonly CellValue[]) => keptIndexes.map((r) => cells[r] ?? null);
  const remaining: ColumnValues = Object.fromEntries(Object.entries(values).map(([id, cells]) => [id, pick(cells)]));
  return [name, table, keptIndexes.map((r) => ids[r] ?? 0), remaining];
}

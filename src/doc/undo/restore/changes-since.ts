import type { OpenDocument } from "../../document.ts";
import {
  type ColumnChanges,
  type DocumentChanges,
  emptyChanges,
  mergeChanges,
  type TableChanges,
} from "../../history/changes.ts";
import { readChange } from "../../history/read-state.ts";
import { readStateChanges } from "../../history/state-changes.ts";
import { checkReadable, laterStates } from "../later-states.ts";

/**
 * Returns the changes of all callers after a state.
 * @throws AppError `undo.too_many_changes`, `state.pruned`
 */
export function changesSince({ db }: OpenDocument, since: number): DocumentChanges {
  const later = laterStates(db, since);
  checkReadable(db, later, { since, first: since + 1 });
  const changes = emptyChanges();
  for (const state of later) mergeChanges(changes, readStateChanges(readChange(db, state), { maxRows: Infinity }));
  return changes;
}

/** Returns the changes of a table by its present name. */
export const changesOfTable = (changes: DocumentChanges, table: string): TableChanges | undefined =>
  [...changes.all].find(({ after }) => after === table);

/** Returns the changes of a column by its present name. */
export const changesOfColumn = (table: TableChanges | undefined, column: string): ColumnChanges | undefined =>
  table && [...table.changes.columns.all].find(({ after }) => after === column);

/**
 * Returns a field of a column's record before the changes; undefined where they did not change it.
 * @param ref the row id of the column in the metadata
 */
export function formerColumnField(changes: DocumentChanges, ref: number, field: "type" | "isFormula"): unknown {
  const records = changesOfTable(changes, "_grist_Tables_column");
  return changesOfColumn(records, field)?.cells.get(ref)?.before?.[0];
}

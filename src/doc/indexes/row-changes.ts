import type { Database } from "../../sqlite/database.ts";

/** Is notified of every change of stored rows, within the transaction of the change. */
export interface RowChangeListener {
  /** Rows were added, or cells of these columns were written; null for all columns. */
  rowsWritten(table: string, ids: readonly number[], columns: readonly string[] | null): void;
  rowsRemoved(table: string, ids: readonly number[]): void;
  /** The table, its columns, or all its rows were changed. */
  tableChanged(table: string): void;
}

const listeners = new WeakMap<Database, RowChangeListener>();

/** Notifies `listener` of changes that are made on this connection. */
export function listenToRowChanges(db: Database, listener: RowChangeListener): void {
  listeners.set(db, listener);
}

/** The listener of a connection. All code that writes rows of user tables reports to it, after writing. */
export const rowChangeListener = (db: Database): RowChangeListener | undefined => listeners.get(db);

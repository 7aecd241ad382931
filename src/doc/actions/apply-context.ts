import type { Database } from "../../sqlite/database.ts";
import type { Catalog } from "./catalog.ts";
import type { DocAction } from "./doc-action.ts";

/** Collects the cells whose formulas must be recomputed. Actions report their changes to it. */
export interface DirtyTracker {
  /** Reports new rows. `provided` names the columns that came with values, which may include formula columns. */
  rowsAdded(table: string, ids: readonly number[], provided: readonly string[]): void;
  rowsRemoved(table: string, ids: readonly number[]): void;
  cellsChanged(table: string, ids: readonly number[], columns: readonly string[]): void;
  /** Reports an added or modified column: it and its dependents are recomputed for all rows. */
  columnChanged(table: string, column: string): void;
  /** Reports a renamed column. Formulas may refer to either name. */
  columnRenamed(table: string, from: string, to: string): void;
  /** Reports a removed column: formulas that refer to it are recomputed for all rows. */
  columnRemoved(table: string, column: string): void;
  tableRenamed(from: string, to: string): void;
  tableRemoved(table: string): void;
}

/** State needed to apply an action: the current tables, and the undo log. */
export interface ApplyContext {
  readonly db: Database;
  readonly catalog: Catalog;
  readonly dirty: DirtyTracker;
  /** True while results of formulas are written: their rows may have been removed meanwhile. */
  readonly ignoresMissingRows: boolean;
  /** True while unchanged cells are included in the action that takes effect. */
  readonly includesUnchanged: boolean;
  /** How many results of formulas the history records. */
  readonly recordedCells: number;
  /** Appends to the undo log, which is applied in reverse order. */
  addUndo(...actions: DocAction[]): void;
}

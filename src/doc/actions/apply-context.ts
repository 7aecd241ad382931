import type { Database } from "../../sqlite/database.ts";
import type { Catalog } from "./catalog.ts";
import type { DocAction } from "./doc-action.ts";

/** Which cells formulas have to be computed for again, as the actions that change the document tell it. */
export interface DirtyTracker {
  /** Rows that are new. `given` names the columns that came with values, which formulas may come with as well. */
  rowsAdded(table: string, ids: readonly number[], provided: readonly string[]): void;
  rowsRemoved(table: string, ids: readonly number[]): void;
  cellsChanged(table: string, ids: readonly number[], columns: readonly string[]): void;
  /** A column came, or is another one now: it and whatever depends on it is to be computed for all rows. */
  columnChanged(table: string, column: string): void;
  /** A column has another name; formulas may name it by either. */
  columnRenamed(table: string, from: string, to: string): void;
  /** Formulas that name the column are to be computed for all rows. */
  columnRemoved(table: string, column: string): void;
  tableRenamed(from: string, to: string): void;
  tableRemoved(table: string): void;
}

/** What applying an action needs: the tables as they are at that moment, and where to put what undoes it. */
export interface ApplyContext {
  readonly db: Database;
  readonly catalog: Catalog;
  readonly dirty: DirtyTracker;
  /** True while cells are written that may be of rows that are gone by now. */
  readonly ignoresMissingRows: boolean;
  /** True while cells are written of which those that hold the given value already are to be told as well. */
  readonly tellsUnchanged: boolean;
  /** To undo a change, what was given here is applied from the last to the first. */
  addUndo(...actions: DocAction[]): void;
}

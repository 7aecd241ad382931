import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { Catalog } from "../actions/catalog.ts";
import { readRows } from "../actions/row-storage.ts";

/** Why a change is left alone. Programs match these. */
export type ConflictReason =
  | "changed_since"
  | "removed_since"
  | "id_in_use"
  | "referenced"
  | "missing_reference"
  | "two_way_reference"
  | "column_changed"
  | "column_removed"
  | "table_removed"
  | "schema"
  | "settings"
  | "not_permitted"
  | "computed"
  | "not_in_state";

/** A change that is left alone: a cell, a row, a column, a table, or records about the document. */
export interface UndoConflict {
  readonly table: string;
  readonly row?: number;
  readonly column?: string;
  readonly reason: ConflictReason;
}

export interface CellRevert {
  readonly from: CellValue;
  readonly to: CellValue;
}

/** The cells of a row that returns, by column. */
export type RestoredCells = Map<string, CellValue>;

/** The parts of an undo by table, while it is examined whether they fit together. */
export class UndoDraft {
  readonly #db: Database;
  readonly #catalog: Catalog;
  /** By table, column and row. */
  readonly cells = new Map<string, Map<string, Map<number, CellRevert>>>();
  readonly removed = new Map<string, Set<number>>();
  readonly restored = new Map<string, Map<number, RestoredCells>>();
  readonly conflicts: UndoConflict[] = [];
  readonly #present = new Map<string, CellValue | undefined>();

  constructor(db: Database, catalog: Catalog) {
    this.#db = db;
    this.#catalog = catalog;
  }

  revertCell(table: string, column: string, row: number, revert: CellRevert): void {
    let columns = this.cells.get(table);
    if (!columns) this.cells.set(table, (columns = new Map()));
    let rows = columns.get(column);
    if (!rows) columns.set(column, (rows = new Map()));
    rows.set(row, revert);
  }

  removeRow(table: string, row: number): void {
    const rows = this.removed.get(table);
    if (rows) rows.add(row);
    else this.removed.set(table, new Set([row]));
  }

  restoreRow(table: string, row: number, cells: RestoredCells): void {
    const rows = this.restored.get(table);
    if (rows) rows.set(row, cells);
    else this.restored.set(table, new Map([[row, cells]]));
  }

  conflict(conflict: UndoConflict): void {
    this.conflicts.push(conflict);
  }

  /** Leaves a cell alone, of a row that returns as well. */
  dropCell(table: string, column: string, row: number, reason: ConflictReason): void {
    this.cells.get(table)?.get(column)?.delete(row);
    this.restored.get(table)?.get(row)?.delete(column);
    this.conflict({ table, row, column, reason });
  }

  dropRemoval(table: string, row: number, reason: ConflictReason): void {
    this.removed.get(table)?.delete(row);
    this.conflict({ table, row, reason });
  }

  dropRestoration(table: string, row: number, reason: ConflictReason): void {
    this.restored.get(table)?.delete(row);
    this.conflict({ table, row, reason });
  }

  isRemoved(table: string, row: number): boolean {
    return this.removed.get(table)?.has(row) ?? false;
  }

  isRestored(table: string, row: number): boolean {
    return this.restored.get(table)?.has(row) ?? false;
  }

  /** Returns the cell as it will be; undefined if the row does not exist then. */
  finalCell(table: string, column: string, row: number): CellValue | undefined {
    if (this.isRemoved(table, row)) return undefined;
    const restored = this.restored.get(table)?.get(row);
    if (restored) {
      const cell = restored.get(column);
      return cell === undefined ? this.#catalog.column(table, column).kind.defaultValue : cell;
    }
    const revert = this.cells.get(table)?.get(column)?.get(row);
    return revert ? revert.to : this.#presentCell(table, column, row);
  }

  /** Returns the cell as it is; undefined if the row does not exist. */
  #presentCell(table: string, column: string, row: number): CellValue | undefined {
    const key = JSON.stringify([table, column, row]);
    if (this.#present.has(key)) return this.#present.get(key);
    const { ids, cells } = readRows(this.#db, table, [this.#catalog.column(table, column)], [row]);
    const cell = ids.length === 0 ? undefined : (cells[0]?.[0] ?? null);
    this.#present.set(key, cell);
    return cell;
  }
}

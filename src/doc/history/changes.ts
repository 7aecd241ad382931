import { type Named, Names } from "./names.ts";

/** What happened to a document over a stretch of its history. */

/** A cell's value in a list of its own; null where there is no cell. */
export type Known = readonly [value: unknown] | null;

export interface CellChange {
  before: Known;
  after: Known;
  /** False while the cell is only among those left out for brevity. */
  isShown: boolean;
}

export interface RowChange {
  /** Whether it was there at the beginning; undefined as long as nothing tells. */
  before: boolean | undefined;
  after: boolean;
  isUpdated: boolean;
  /** It was missing in between. */
  wasGone: boolean;
}

export interface ColumnChanges extends Named {
  readonly cells: Map<number, CellChange>;
}

export interface TableChanges extends Named {
  readonly rows: Map<number, RowChange>;
  readonly columns: Names<ColumnChanges>;
  /** Some of the cells are left out for brevity. */
  isCut: boolean;
}

export type DocumentChanges = Names<TableChanges>;

export const noChanges = (): DocumentChanges =>
  new Names((names) => ({ ...names, rows: new Map(), columns: new Names(noCells), isCut: false }));

const noCells = (names: Named): ColumnChanges => ({ ...names, cells: new Map() });

/** Carries on with what happened next: then both are one stretch. */
export function continueWith(changes: DocumentChanges, next: DocumentChanges): void {
  changes.continueWith(next, joinTables);
}

function joinTables(table: TableChanges, next: TableChanges): void {
  table.isCut ||= next.isCut;
  for (const [id, later] of next.rows) {
    const row = table.rows.get(id);
    if (!row) {
      table.rows.set(id, later);
      continue;
    }
    const isGone = !later.after || later.wasGone;
    if (isGone) forgetCells(table, id);
    row.wasGone ||= later.wasGone || !row.after;
    row.isUpdated = later.isUpdated || (row.isUpdated && !isGone);
    row.after = later.after;
    if (!row.before && !row.after) removeRow(table, id);
  }
  table.columns.continueWith(next.columns, joinColumns);
}

function joinColumns({ cells }: ColumnChanges, next: ColumnChanges): void {
  for (const [id, later] of next.cells) {
    const cell = cells.get(id);
    if (cell) {
      cell.after = later.after;
      cell.isShown ||= later.isShown;
    } else cells.set(id, later);
  }
}

/** The row is gone: what its cells held last is not what they hold if it comes back. */
export function forgetCells(table: TableChanges, id: number): void {
  for (const { cells } of table.columns.all) {
    const cell = cells.get(id);
    if (cell) cell.after = null;
  }
}

function removeRow(table: TableChanges, id: number): void {
  table.rows.delete(id);
  for (const { cells } of table.columns.all) cells.delete(id);
}

/**
 * Drops what came and went within the stretch, and the cells that rows, columns and tables have no more, or did not
 * have yet.
 */
export function settle(changes: DocumentChanges): void {
  for (const table of changes.all) {
    if (table.before === null && table.after === null) changes.all.delete(table);
    else settleTable(table);
  }
}

function settleTable(table: TableChanges): void {
  for (const [id, row] of table.rows) {
    if (table.before === null) row.before = false;
    if (table.after === null) row.after = false;
    // That a row was removed, and nothing that brings it back: there was none.
    if (!row.before && !row.after) table.rows.delete(id);
  }
  for (const column of table.columns.all) {
    if (table.before === null) column.before = null;
    if (table.after === null) column.after = null;
    if (column.before === null && column.after === null) table.columns.all.delete(column);
    else settleCells(column, table.rows);
  }
}

function settleCells({ before, after, cells }: ColumnChanges, rows: ReadonlyMap<number, RowChange>): void {
  for (const [id, cell] of cells) {
    const row = rows.get(id);
    if (!row?.before || before === null) cell.before = null;
    if (!row?.after || after === null) cell.after = null;
    if (!cell.before && !cell.after) cells.delete(id);
  }
}

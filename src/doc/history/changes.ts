import { type NameHistory, NameTracker } from "./name-tracker.ts";

/** What happened to a document over a stretch of its history. */

/** A cell's value in a list of its own; null where there is no cell. */
export type KnownValue = readonly [value: unknown] | null;

export interface CellChange {
  before: KnownValue;
  after: KnownValue;
  /** False while the cell is only among those left out for brevity. */
  isIncluded: boolean;
}

export interface RowChange {
  /** Whether it was there at the beginning; undefined as long as nothing tells. */
  before: boolean | undefined;
  after: boolean;
  isUpdated: boolean;
  /** It was missing in between. */
  wasRemoved: boolean;
}

export interface ColumnChanges extends NameHistory {
  cells: Map<number, CellChange>;
  /** The changes before the state that removed the column, under its last name. */
  former: Map<number, CellChange> | null;
  /** It was added as a formula column: its cells have no values before the formula was evaluated. */
  isNewFormula: boolean;
}

/** Changes of the rows of a table. */
export interface RowChanges {
  readonly rows: Map<number, RowChange>;
  readonly columns: NameTracker<ColumnChanges>;
  /** Some of the cells are left out for brevity. */
  isTruncated: boolean;
}

export interface TableChanges extends NameHistory {
  changes: RowChanges;
  /** Some state changed its rows or columns, even if a later one took that back. */
  isTouched: boolean;
  /** The changes before the state that removed the table, under its last name. */
  former: RowChanges | null;
}

export type DocumentChanges = NameTracker<TableChanges>;

export const emptyChanges = (): DocumentChanges =>
  new NameTracker((names) => ({ ...names, changes: noRowChanges(), isTouched: false, former: null }));

const noRowChanges = (): RowChanges => ({ rows: new Map(), columns: new NameTracker(noCells), isTruncated: false });

const noCells = (names: NameHistory): ColumnChanges => ({
  ...names,
  cells: new Map(),
  former: null,
  isNewFormula: false,
});

/**
 * Adds the changes of the next states: then both are one stretch. The changes of a table or column in the state that
 * removes it are kept apart from former ones, so that it is shown as it was when it was removed.
 */
export function mergeChanges(changes: DocumentChanges, next: DocumentChanges): void {
  for (const table of changes.all) table.former = null;
  changes.merge(next, (table, later) => {
    if (later.after === null) {
      table.former = table.isTouched ? table.changes : null;
      table.changes = later.changes;
    } else mergeRows(table.changes, later.changes);
    table.isTouched ||= later.isTouched;
  });
}

function mergeRows(changes: RowChanges, next: RowChanges): void {
  changes.isTruncated ||= next.isTruncated;
  const gone: number[] = [];
  const added = new Set<number>();
  for (const [id, later] of next.rows) {
    const row = changes.rows.get(id);
    if (!row) {
      changes.rows.set(id, later);
      continue;
    }
    if (isAdded(row)) added.add(id);
    const isGone = !later.after || later.wasRemoved;
    if (isGone) clearCellsAfter(changes, id);
    row.isUpdated = (later.isUpdated && !added.has(id)) || (row.isUpdated && !isGone);
    row.wasRemoved ||= later.wasRemoved || !row.after;
    row.after = later.after;
    if (!row.before && !row.after) gone.push(id);
  }
  for (const column of changes.columns.all) column.former = null;
  changes.columns.merge(next.columns, (column, later) => mergeCells(column, later, added));
  for (const id of gone) removeRow(changes, id);
}

/** Whether the row was added, also in place of one that was removed. */
export const isAdded = ({ before, after, wasRemoved }: RowChange): boolean => after && (!before || wasRemoved);

/** @param added rows that earlier states added: what their cells held since is not what they held before */
function mergeCells(column: ColumnChanges, next: ColumnChanges, added: ReadonlySet<number>): void {
  if (next.after === null) {
    column.former = column.cells;
    column.cells = next.cells;
    return;
  }
  const { cells } = column;
  for (const [id, later] of next.cells) {
    const cell = cells.get(id);
    if (cell) {
      cell.after = later.after;
      cell.isIncluded ||= later.isIncluded;
    } else cells.set(id, added.has(id) ? { ...later, before: null } : later);
  }
}

/** The row is gone: what its cells held last is not what they hold if it comes back. */
export function clearCellsAfter({ columns }: RowChanges, id: number): void {
  for (const { cells } of columns.all) {
    const cell = cells.get(id);
    if (cell) cell.after = null;
  }
}

function removeRow({ rows, columns }: RowChanges, id: number): void {
  rows.delete(id);
  for (const { cells, former } of columns.all) {
    cells.delete(id);
    former?.delete(id);
  }
}

/**
 * Drops from the changes of one state what came and went within it, and the cells that rows, columns and tables have no
 * more, or did not have yet.
 */
export function finalizeChanges(changes: DocumentChanges): void {
  for (const table of changes.all) {
    if (table.before === null && table.after === null) changes.all.delete(table);
    else finalizeTable(table);
    table.isTouched = hasChanges(table.changes);
  }
}

const hasChanges = ({ rows, columns }: RowChanges): boolean =>
  rows.size > 0 ||
  [...columns.all].some(({ before, after, isRenamed, cells }) => before !== after || isRenamed || cells.size > 0);

function finalizeTable({ before, after, changes: { rows, columns } }: TableChanges): void {
  for (const [id, row] of rows) {
    if (before === null) row.before = false;
    if (after === null) row.after = false;
    // That a row was removed, and nothing that brings it back: there was none.
    if (!row.before && !row.after) rows.delete(id);
  }
  for (const column of columns.all) {
    if (before === null) column.before = null;
    if (after === null) column.after = null;
    if (column.before === null && column.after === null) columns.all.delete(column);
    else finalizeCells(column, rows);
  }
}

function finalizeCells({ after, cells, isNewFormula }: ColumnChanges, rows: ReadonlyMap<number, RowChange>): void {
  for (const [id, cell] of cells) {
    const row = rows.get(id);
    if (!row?.before || isNewFormula) cell.before = null;
    if (!row?.after || after === null) cell.after = null;
    if (!cell.before && !cell.after) cells.delete(id);
  }
}

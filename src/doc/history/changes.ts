import { type NameHistory, NameTracker } from "./name-tracker.ts";

/** The changes of a document over a range of its history. */

/** The value of a cell wrapped in a list; null where the cell does not exist. */
export type KnownValue = readonly [value: unknown] | null;

export interface CellChange {
  before: KnownValue;
  after: KnownValue;
  /** False while only truncated lists contain the cell. */
  isIncluded: boolean;
}

export interface RowChange {
  /** Whether it existed at the beginning; undefined while unknown. */
  before: boolean | undefined;
  after: boolean;
  isUpdated: boolean;
  /** It was removed in between. */
  wasRemoved: boolean;
}

export interface ColumnChanges extends NameHistory {
  cells: Map<number, CellChange>;
  /** The changes before the state that removed the column, under its last name. */
  former: Map<number, CellChange> | null;
  /** It was added as a formula column: its cells have no values before the first evaluation. */
  isNewFormula: boolean;
  /** Its type or formula changed; only of a single state that was read with `notesModified`. */
  modified?: ColumnModification;
}

/** `data`: a formula column, or an empty one, became a data column. `type`: its cells mean something else than before. */
export type ColumnModification = "formula" | "data" | "type";

/** Changes of the rows of a table. */
export interface RowChanges {
  readonly rows: Map<number, RowChange>;
  readonly columns: NameTracker<ColumnChanges>;
  /** Some cells are omitted for brevity. */
  isTruncated: boolean;
}

export interface TableChanges extends NameHistory {
  changes: RowChanges;
  /** A state changed its rows or columns, even if a later one reverted that. */
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
 * Merges the changes of the next states. Changes of a table or column in the state that removes it are kept apart from
 * earlier ones, so that it is shown as of its removal.
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

/** True when the row was added, also as a replacement of a removed one. */
export const isAdded = ({ before, after, wasRemoved }: RowChange): boolean => after && (!before || wasRemoved);

/** @param added rows added by earlier states: later values of their cells are not the original ones */
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

/** Clears the last values of a removed row: they are not its values if it is added again. */
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
 * Drops rows and columns that a single state both added and removed, and cells of rows, columns and tables that no
 * longer exist or did not exist yet.
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
    // Removed with nothing that restores it: the row did not exist.
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

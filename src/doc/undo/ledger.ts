import { isMetadataTable } from "../actions/doc-action.ts";
import { sameCell } from "../actions/row-storage.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ColumnChanges, DocumentChanges, KnownValue, RowChange, TableChanges } from "../history/changes.ts";
import { type NameHistory, NameTracker } from "../history/name-tracker.ts";

/**
 * The changes that one author made over a range of the history, and what others did to the same cells and rows since. Tables
 * and columns are followed through renames. Cells that the author never wrote are not in it.
 */
export type Ledger = NameTracker<TableEntry>;

/** A cell that the author wrote. */
export interface CellEntry {
  /** The value before the author's last series of writes without others in between; null if the cell did not exist. */
  readonly before: KnownValue;
  /** The column had no cells before, so that the cell of a new row takes the place of `before`. */
  readonly wasEmpty: boolean;
  /** The last written value, by any author; null if the cell does not exist any more. */
  after: KnownValue;
  /** False once another author has written it. */
  isOwn: boolean;
  /** The type of the column has changed since: the former value does not fit it. */
  isConverted: boolean;
}

/** A row that the author added or removed. `before` and `after` are as for cells: whether it existed. */
export interface RowEntry {
  readonly before: boolean;
  after: boolean;
  isOwn: boolean;
  /** The columns of an added row that other authors wrote. */
  readonly touched: Set<ColumnEntry>;
}

/** What the author did to a table or column, besides its cells. */
export type OwnSchemaChange = "added" | "removed" | "renamed" | "modified";

export interface ColumnEntry extends NameHistory {
  readonly cells: Map<number, CellEntry>;
  readonly ownChanges: Set<OwnSchemaChange>;
}

export interface TableEntry extends NameHistory {
  readonly rows: Map<number, RowEntry>;
  readonly columns: NameTracker<ColumnEntry>;
  readonly ownChanges: Set<OwnSchemaChange>;
}

/** Tells which parts of one change count as the author's own; names are those before the change. */
export interface Ownership {
  ownsSchema(table: string): boolean;
  ownsRow(table: string, row: number, change: "added" | "removed"): boolean;
  ownsCell(table: string, row: number, column: string): boolean;
}

/** For changes of other authors. */
export const NOT_OWN: Ownership = { ownsSchema: () => false, ownsRow: () => false, ownsCell: () => false };

export const emptyLedger = (): Ledger =>
  new NameTracker((names) => ({
    ...names,
    rows: new Map(),
    columns: new NameTracker(newColumn),
    ownChanges: new Set(),
  }));

const newColumn = (names: NameHistory): ColumnEntry => ({ ...names, cells: new Map(), ownChanges: new Set() });

/** Adds the changes of the next state. */
export function recordState(ledger: Ledger, changes: DocumentChanges, ownership: Ownership): void {
  ledger.merge(changes, (table, later) => recordTable(table, later, ownership));
}

function recordTable(table: TableEntry, later: TableChanges, ownership: Ownership): void {
  const name = later.before ?? later.last;
  if (ownership.ownsSchema(name)) for (const change of ownChangesOf(later)) table.ownChanges.add(change);
  // Its rows are gone with it.
  if (later.after === null) return;
  for (const [id, row] of later.changes.rows) recordRow(table, id, { row, name, ownership });
  table.columns.merge(later.changes.columns, (column, laterColumn) => {
    if (ownership.ownsSchema(name)) for (const change of ownChangesOf(laterColumn)) column.ownChanges.add(change);
    if (laterColumn.after !== null) recordCells(table, column, { later: laterColumn, name, ownership });
  });
}

function ownChangesOf({ before, after, isRenamed, ...rest }: NameHistory & Pick<ColumnChanges, "modified">) {
  const changes: OwnSchemaChange[] = [];
  if (after === null) return [...changes, "removed" as const];
  if (before === null) changes.push("added");
  else if (isRenamed && before !== after) changes.push("renamed");
  if (before !== null && rest.modified) changes.push("modified");
  return changes;
}

function recordRow(
  table: TableEntry,
  id: number,
  { row, name, ownership }: { row: RowChange; name: string; ownership: Ownership },
): void {
  const before = row.before ?? false;
  const { after, wasRemoved } = row;
  if (before === after && !wasRemoved) return;
  const entry = table.rows.get(id);
  if (ownership.ownsRow(name, id, after ? "added" : "removed")) {
    // A row that was replaced existed before and afterwards: its cells tell the difference.
    if (entry?.isOwn) entry.after = after;
    else if (before !== after) table.rows.set(id, { before, after, isOwn: true, touched: new Set() });
    return;
  }
  // A new row with an id that was in use: former cells are not its own.
  if (after) for (const { cells } of table.columns.all) cells.delete(id);
  if (entry?.before) {
    entry.isOwn = false;
    entry.after = after;
  } else {
    // Another author has removed a row that this one added; or it has the id of one that the author added and removed.
    table.rows.delete(id);
  }
}

function recordCells(
  table: TableEntry,
  column: ColumnEntry,
  { later, name, ownership }: { later: ColumnChanges; name: string; ownership: Ownership },
): void {
  if (later.modified === "type" || later.modified === "data") {
    for (const entry of column.cells.values()) entry.isConverted = true;
    // The change converted the cells.
    if (later.modified === "type") return;
  }
  const columnName = later.before ?? later.last;
  const wasEmpty = later.modified === "data";
  for (const [id, { before, after }] of later.cells) {
    // Updates of several rows list their unchanged cells as well.
    if (sameKnown(before, after)) continue;
    const entry = column.cells.get(id);
    if (ownership.ownsCell(name, id, columnName)) {
      if (entry?.isOwn && !entry.isConverted) entry.after = after;
      else column.cells.set(id, { before, wasEmpty, after, isOwn: true, isConverted: false });
      continue;
    }
    if (entry) {
      entry.isOwn = false;
      entry.after = after;
    }
    const row = table.rows.get(id);
    if (row?.isOwn && row.after && !row.before) row.touched.add(column);
  }
}

/** True for two equal values, and for two cells that do not exist. */
export const sameKnown = (a: KnownValue, b: KnownValue): boolean =>
  a === null || b === null ? a === b : sameCell(a[0] as CellValue, b[0] as CellValue);

/** True for tables whose records describe the document. */
export const isMetadata = ({ last }: NameHistory): boolean => isMetadataTable(last);

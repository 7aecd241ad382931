import type { CellValue } from "../../values/cell.ts";
import type { ColumnValues, DocAction } from "../actions/doc-action.ts";
import { isMetadataTable } from "../actions/doc-action.ts";

/** A row before a change. */
export interface PreviousRow {
  /** False for a row that the change added. */
  readonly existed: boolean;
  /** The previous values of the written cells. */
  readonly cells: Map<string, CellValue>;
}

/** The changed rows of a table. */
export interface ChangedTableRows {
  readonly rows: Map<number, PreviousRow>;
  /** True when all rows were replaced: existing rows that are not in `rows` are new. */
  isReplaced: boolean;
}

/**
 * Returns the rows that a change affected, by the names of tables and columns at its end. The undo actions contain all
 * of it: read from the first one on, the first value of a cell is the one before the change.
 */
export function changedRows(undo: readonly DocAction[]): Map<string, ChangedTableRows> {
  const tables = new Map<string, ChangedTableRows>();
  for (const action of undo) if (!isMetadataTable(action[1])) recordAction(tables, action);
  return tables;
}

function recordAction(tables: Map<string, ChangedTableRows>, action: DocAction): void {
  const [name, table] = action;
  switch (name) {
    case "BulkRemoveRecord":
      return recordRows(changedTableOf(tables, table), { ids: action[2], existed: false });
    case "RemoveRecord":
      return recordRows(changedTableOf(tables, table), { ids: [action[2]], existed: false });
    case "BulkUpdateRecord":
    case "BulkAddRecord":
      return recordRows(changedTableOf(tables, table), { ids: action[2], existed: true, values: action[3] });
    case "UpdateRecord":
    case "AddRecord": {
      const values = Object.fromEntries(Object.entries(action[3]).map(([column, value]) => [column, [value]]));
      return recordRows(changedTableOf(tables, table), { ids: [action[2]], existed: true, values });
    }
    case "ReplaceTableData": {
      const changed = changedTableOf(tables, table);
      recordRows(changed, { ids: action[2], existed: true, values: action[3] });
      changed.isReplaced = true;
      return;
    }
    case "RenameTable": {
      // Undoing a rename names the table's new name first.
      const found = tables.get(action[2]);
      tables.delete(action[2]);
      if (found) tables.set(table, found);
      return;
    }
    case "RenameColumn":
      return renameCells(tables.get(table), action[3], action[2]);
    case "AddTable":
    case "RemoveTable":
      // The table was added or removed as a whole, which are not row events.
      return void tables.delete(table);
    case "AddColumn":
    case "RemoveColumn":
    case "ModifyColumn":
      return;
    default:
      return name satisfies never;
  }
}

function changedTableOf(tables: Map<string, ChangedTableRows>, id: string): ChangedTableRows {
  let table = tables.get(id);
  if (!table) tables.set(id, (table = { rows: new Map(), isReplaced: false }));
  return table;
}

interface PreviousRows {
  readonly ids: readonly number[];
  readonly existed: boolean;
  readonly values?: ColumnValues;
}

function recordRows(table: ChangedTableRows, { ids, existed, values = {} }: PreviousRows): void {
  const columns = Object.entries(values);
  for (const [r, id] of ids.entries()) {
    let row = table.rows.get(id);
    if (!row) table.rows.set(id, (row = { existed: existed && !table.isReplaced, cells: new Map() }));
    if (!row.existed) continue;
    for (const [column, cells] of columns) if (!row.cells.has(column)) row.cells.set(column, cells[r] ?? null);
  }
}

function renameCells(table: ChangedTableRows | undefined, from: string, to: string): void {
  for (const { cells } of table?.rows.values() ?? []) {
    const before = cells.get(from);
    if (before === undefined) continue;
    cells.delete(from);
    cells.set(to, before);
  }
}

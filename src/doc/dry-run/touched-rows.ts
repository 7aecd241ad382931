import type { DocAction } from "../actions/doc-action.ts";
import type { RecordedActions } from "./dry-run.ts";

/** The rows of a table that a change may have affected. */
export interface TouchedTable {
  readonly added: Set<number>;
  readonly updated: Set<number>;
  readonly removed: Set<number>;
  /** The table was added by the change. */
  readonly isNew: boolean;
  /** Any row may have changed. */
  isWhole: boolean;
  /** Rows whose cells were written by formulas, by column. */
  readonly computed: Map<string, Set<number>>;
}

/** Returns the touched rows of a change by the names that tables and columns have at its end. */
export function touchedRows(changes: readonly RecordedActions[]): Map<string, TouchedTable> {
  const tables = new Map<string, TouchedTable>();
  for (const { done, calculated } of changes) {
    const isCalculated = new Set(calculated);
    for (const action of done) recordAction(tables, action, isCalculated.has(action));
  }
  return tables;
}

function recordAction(tables: Map<string, TouchedTable>, action: DocAction, isCalculated: boolean): void {
  const [name, id] = action;
  switch (name) {
    case "AddTable":
      return void tables.set(id, untouched({ isNew: true }));
    case "RemoveTable":
      return void tables.delete(id);
    case "RenameTable": {
      const found = tables.get(id);
      tables.delete(id);
      tables.set(action[2], found ?? untouched());
      return;
    }
    default:
      return recordRows(tableOf(tables, id), action, isCalculated);
  }
}

function recordRows(table: TouchedTable, action: DocAction, isCalculated: boolean): void {
  const [name] = action;
  switch (name) {
    case "AddRecord":
      return void table.added.add(action[2]);
    case "BulkAddRecord":
      return addAll(table.added, action[2]);
    case "RemoveRecord":
      return void table.removed.add(action[2]);
    case "BulkRemoveRecord":
      return addAll(table.removed, action[2]);
    case "UpdateRecord":
    case "BulkUpdateRecord": {
      const ids = name === "UpdateRecord" ? [action[2]] : action[2];
      addAll(table.updated, ids);
      if (isCalculated) for (const column of Object.keys(action[3])) addAll(computedOf(table, column), ids);
      return;
    }
    case "ReplaceTableData":
      table.isWhole = true;
      return;
    case "ModifyColumn":
      // Cells are shown by their type.
      if ("type" in action[3]) table.isWhole = true;
      return;
    case "RenameColumn": {
      const computed = table.computed.get(action[2]);
      table.computed.delete(action[2]);
      if (computed) table.computed.set(action[3], computed);
      return;
    }
    case "RemoveColumn":
      return void table.computed.delete(action[2]);
    default:
      return;
  }
}

const untouched = ({ isNew = false } = {}): TouchedTable => ({
  added: new Set(),
  updated: new Set(),
  removed: new Set(),
  isNew,
  isWhole: isNew,
  computed: new Map(),
});

function tableOf(tables: Map<string, TouchedTable>, id: string): TouchedTable {
  let table = tables.get(id);
  if (!table) tables.set(id, (table = untouched()));
  return table;
}

function computedOf({ computed }: TouchedTable, column: string): Set<number> {
  let rows = computed.get(column);
  if (!rows) computed.set(column, (rows = new Set()));
  return rows;
}

function addAll(set: Set<number>, ids: readonly number[]): void {
  for (const id of ids) set.add(id);
}

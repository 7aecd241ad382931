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
      tables.set(id, untouched({ isNew: true }));
      break;
    case "RemoveTable":
      tables.delete(id);
      break;
    case "RenameTable": {
      const found = tables.get(id);
      tables.delete(id);
      tables.set(action[2], found ?? untouched());
      break;
    }
    case "AddRecord":
      tableOf(tables, id).added.add(action[2]);
      break;
    case "BulkAddRecord":
      addAll(tableOf(tables, id).added, action[2]);
      break;
    case "RemoveRecord":
      tableOf(tables, id).removed.add(action[2]);
      break;
    case "BulkRemoveRecord":
      addAll(tableOf(tables, id).removed, action[2]);
      break;
    case "UpdateRecord":
    case "BulkUpdateRecord":
      recordUpdate(tableOf(tables, id), action, isCalculated);
      break;
    case "ReplaceTableData":
      tableOf(tables, id).isWhole = true;
      break;
    case "ModifyColumn":
      // Cells are shown by their type.
      if ("type" in action[3]) tableOf(tables, id).isWhole = true;
      break;
    case "RenameColumn":
      renameColumn(tableOf(tables, id), action[2], action[3]);
      break;
    case "RemoveColumn":
      tableOf(tables, id).computed.delete(action[2]);
      break;
    case "AddColumn":
      break;
    default:
      name satisfies never;
  }
}

type UpdateAction = Extract<DocAction, readonly ["UpdateRecord" | "BulkUpdateRecord", ...unknown[]]>;

function recordUpdate(table: TouchedTable, action: UpdateAction, isCalculated: boolean): void {
  const ids = action[0] === "UpdateRecord" ? [action[2]] : action[2];
  addAll(table.updated, ids);
  if (isCalculated) for (const column of Object.keys(action[3])) addAll(computedOf(table, column), ids);
}

function renameColumn({ computed }: TouchedTable, from: string, to: string): void {
  const rows = computed.get(from);
  computed.delete(from);
  if (rows) computed.set(to, rows);
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

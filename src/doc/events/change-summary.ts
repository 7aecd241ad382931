import { isMetadataTable } from "../actions/doc-action.ts";
import { type NameHistory, NameTracker } from "../history/name-tracker.ts";
import type { RecordedAction } from "../history/read-state.ts";

/**
 * A summary of the rows that a change affected, without values: enough for readers to know what to reload. Its size is
 * bounded for changes of any size.
 */

/**
 * The precision of a table's summary. `rows`: they are listed; `cells`: only cells of some columns changed, in any
 * rows; `everything`: any row may have been added, removed or changed.
 */
export type ChangeExtent = "rows" | "cells" | "everything";

export interface TableChangeSummary extends NameHistory {
  extent: ChangeExtent;
  readonly added: Set<number>;
  readonly updated: Set<number>;
  readonly removed: Set<number>;
  /** The columns whose cells changed in previously existing rows. */
  readonly columns: Set<string>;
}

export interface ChangeSummary {
  readonly tables: NameTracker<TableChangeSummary>;
  /** Tables, columns or document settings changed. */
  schema: boolean;
  /** Access rules changed. */
  rules: boolean;
}

/** The maximum number of rows listed per table; beyond, readers should reload the table. */
export const MAX_ROWS = 300;

const SCHEMA_TABLES: ReadonlySet<string> = new Set(["_grist_Tables", "_grist_Tables_column", "_grist_DocInfo"]);
const RULE_TABLES: ReadonlySet<string> = new Set(["_grist_ACLRules", "_grist_ACLResources"]);

export const emptySummary = (): ChangeSummary => ({
  tables: new NameTracker((names) => ({
    ...names,
    extent: "rows",
    added: new Set(),
    updated: new Set(),
    removed: new Set(),
    columns: new Set(),
  })),
  schema: false,
  rules: false,
});

/** Summarises actions in order. Unknown actions of other programs are ignored. */
export function summarise(actions: Iterable<RecordedAction>): ChangeSummary {
  const summary = emptySummary();
  for (const [name, ...args] of actions) recordAction(summary, name, args);
  return summary;
}

/** Merges the next change into a summary. */
export function mergeSummary(summary: ChangeSummary, next: ChangeSummary): void {
  summary.schema ||= next.schema;
  summary.rules ||= next.rules;
  summary.tables.merge(next.tables, (table, later) => {
    if (later.extent === "everything") return markAllRows(table);
    removeRows(table, later.removed);
    addRows(table, later.added);
    updateRows(table, later.updated, later.columns);
    if (later.extent === "cells") markCells(table, later.columns);
  });
}

function recordAction(summary: ChangeSummary, name: string, args: readonly unknown[]): void {
  const [id, second, third] = args;
  if (typeof id !== "string") return;
  if (SCHEMA_TABLES.has(id)) summary.schema = true;
  if (RULE_TABLES.has(id)) summary.rules = true;
  const { tables } = summary;
  switch (name) {
    case "AddRecord":
    case "BulkAddRecord":
      return addRows(tables.at(id), rowIds(second));
    case "UpdateRecord":
    case "BulkUpdateRecord":
      return updateRows(tables.at(id), rowIds(second), columnsOf(third));
    case "RemoveRecord":
    case "BulkRemoveRecord":
      return removeRows(tables.at(id), rowIds(second));
    case "ReplaceTableData":
    case "TableData":
      return markAllRows(tables.at(id));
    default:
      if (!isMetadataTable(id)) recordSchemaAction(summary, name, args);
  }
}

function recordSchemaAction(summary: ChangeSummary, name: string, [id, second]: readonly unknown[]): void {
  const table = String(id);
  const { tables } = summary;
  switch (name) {
    case "AddTable":
      markAllRows(tables.added(table));
      break;
    case "RemoveTable":
      markAllRows(tables.removed(table));
      break;
    case "RenameTable":
      if (typeof second !== "string") return;
      tables.renamed(table, second);
      markAllRows(tables.at(second));
      break;
    case "AddColumn":
    case "RemoveColumn":
    case "RenameColumn":
    case "ModifyColumn":
      markAllRows(tables.at(table));
      break;
    default:
      return;
  }
  summary.schema = true;
}

function addRows(table: TableChangeSummary, ids: Iterable<number>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.extent === "cells" || isFull(table)) return markAllRows(table);
    table.added.add(id);
  }
}

function removeRows(table: TableChangeSummary, ids: Iterable<number>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.extent === "cells") return markAllRows(table);
    table.updated.delete(id);
    // Rows added and removed in between were never visible.
    if (table.added.delete(id) && !table.removed.has(id)) continue;
    if (isFull(table)) return markAllRows(table);
    table.removed.add(id);
  }
}

function updateRows(table: TableChangeSummary, ids: Iterable<number>, columns: Iterable<string>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.added.has(id)) continue;
    if (table.extent === "cells" || (isFull(table) && !table.updated.has(id))) return markCells(table, columns);
    if (!table.updated.has(id)) table.updated.add(id);
    for (const column of columns) table.columns.add(column);
  }
}

/** Drops the list of rows; the extent can be `cells` as long as no rows were added or removed. */
function markCells(table: TableChangeSummary, columns: Iterable<string>): void {
  if (table.extent === "everything") return;
  if (table.added.size > 0 || table.removed.size > 0) return markAllRows(table);
  table.extent = "cells";
  table.updated.clear();
  for (const column of columns) table.columns.add(column);
}

export function markAllRows(table: TableChangeSummary): void {
  table.extent = "everything";
  for (const list of [table.added, table.updated, table.removed, table.columns]) list.clear();
}

const isFull = ({ added, updated, removed }: TableChangeSummary): boolean =>
  added.size + updated.size + removed.size >= MAX_ROWS;

function* rowIds(ids: unknown): Generator<number> {
  for (const id of Array.isArray(ids) ? (ids as unknown[]) : [ids]) {
    if (typeof id === "number" && Number.isSafeInteger(id)) yield id;
  }
}

const columnsOf = (values: unknown): string[] =>
  typeof values === "object" && values !== null && !Array.isArray(values) ? Object.keys(values) : [];

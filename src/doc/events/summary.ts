import { isMetadataTable } from "../actions/doc-action.ts";
import { type Named, Names } from "../history/names.ts";
import type { RecordedAction } from "../history/read-state.ts";

/**
 * What a change did to which rows, without any values: what readers need to know to read again what they show. Kept
 * small whatever the change was.
 */

/**
 * How exactly is known what happened to a table: `rows` lists them; `cells`: only cells of some columns changed, in any
 * rows; `everything`: any row may have come, gone or changed.
 */
export type Extent = "rows" | "cells" | "everything";

export interface TableSummary extends Named {
  extent: Extent;
  readonly added: Set<number>;
  readonly updated: Set<number>;
  readonly removed: Set<number>;
  /** The columns of which cells were changed in rows that were there before. */
  readonly columns: Set<string>;
}

export interface Summary {
  readonly tables: Names<TableSummary>;
  /** Tables, columns or settings of the document are others than before. */
  schema: boolean;
  /** Access rules were written. */
  rules: boolean;
}

/** The most rows that are listed for a table; beyond, readers had better read the table again. */
export const MOST_ROWS = 300;

const DESCRIBES_SCHEMA: ReadonlySet<string> = new Set(["_grist_Tables", "_grist_Tables_column", "_grist_DocInfo"]);
const HOLDS_RULES: ReadonlySet<string> = new Set(["_grist_ACLRules", "_grist_ACLResources"]);

export const noSummary = (): Summary => ({
  tables: new Names((names) => ({
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

/** What actions did, in the order in which they were done. Actions of other programs that say nothing of it are passed over. */
export function summarise(actions: Iterable<RecordedAction>): Summary {
  const summary = noSummary();
  for (const [name, ...args] of actions) note(summary, name, args);
  return summary;
}

/** Carries on with what happened next, so that both are one. */
export function continueWith(summary: Summary, next: Summary): void {
  summary.schema ||= next.schema;
  summary.rules ||= next.rules;
  summary.tables.continueWith(next.tables, (table, later) => {
    if (later.extent === "everything") return makeEverything(table);
    removeRows(table, later.removed);
    addRows(table, later.added);
    updateRows(table, later.updated, later.columns);
    if (later.extent === "cells") makeCells(table, later.columns);
  });
}

function note(summary: Summary, name: string, args: readonly unknown[]): void {
  const [id, second, third] = args;
  if (typeof id !== "string") return;
  if (DESCRIBES_SCHEMA.has(id)) summary.schema = true;
  if (HOLDS_RULES.has(id)) summary.rules = true;
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
      return makeEverything(tables.at(id));
    default:
      if (!isMetadataTable(id)) noteShape(summary, name, args);
  }
}

function noteShape(summary: Summary, name: string, [id, second]: readonly unknown[]): void {
  const table = String(id);
  const { tables } = summary;
  switch (name) {
    case "AddTable":
      makeEverything(tables.added(table));
      break;
    case "RemoveTable":
      makeEverything(tables.removed(table));
      break;
    case "RenameTable":
      if (typeof second !== "string") return;
      tables.renamed(table, second);
      makeEverything(tables.at(second));
      break;
    case "AddColumn":
    case "RemoveColumn":
    case "RenameColumn":
    case "ModifyColumn":
      makeEverything(tables.at(table));
      break;
    default:
      return;
  }
  summary.schema = true;
}

function addRows(table: TableSummary, ids: Iterable<number>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.extent === "cells" || isFull(table)) return makeEverything(table);
    table.added.add(id);
  }
}

function removeRows(table: TableSummary, ids: Iterable<number>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.extent === "cells") return makeEverything(table);
    table.updated.delete(id);
    // What came and went in between is nothing that anybody saw.
    if (table.added.delete(id) && !table.removed.has(id)) continue;
    if (isFull(table)) return makeEverything(table);
    table.removed.add(id);
  }
}

function updateRows(table: TableSummary, ids: Iterable<number>, columns: Iterable<string>): void {
  if (table.extent === "everything") return;
  for (const id of ids) {
    if (table.added.has(id)) continue;
    if (table.extent === "cells" || (isFull(table) && !table.updated.has(id))) return makeCells(table, columns);
    if (!table.updated.has(id)) table.updated.add(id);
    for (const column of columns) table.columns.add(column);
  }
}

/** Rows are listed no more; that only cells changed can be said as long as none came or went. */
function makeCells(table: TableSummary, columns: Iterable<string>): void {
  if (table.extent === "everything") return;
  if (table.added.size > 0 || table.removed.size > 0) return makeEverything(table);
  table.extent = "cells";
  table.updated.clear();
  for (const column of columns) table.columns.add(column);
}

export function makeEverything(table: TableSummary): void {
  table.extent = "everything";
  for (const list of [table.added, table.updated, table.removed, table.columns]) list.clear();
}

const isFull = ({ added, updated, removed }: TableSummary): boolean =>
  added.size + updated.size + removed.size >= MOST_ROWS;

function* rowIds(ids: unknown): Generator<number> {
  for (const id of Array.isArray(ids) ? (ids as unknown[]) : [ids]) {
    if (typeof id === "number" && Number.isSafeInteger(id)) yield id;
  }
}

const columnsOf = (values: unknown): string[] =>
  typeof values === "object" && values !== null && !Array.isArray(values) ? Object.keys(values) : [];

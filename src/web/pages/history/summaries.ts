import { formatCount } from "../../../lib/text/formatting.ts";
import type { History } from "../../../wire/documents/history.ts";
import { typeName } from "../../base/type-names.ts";
import { type CurrentColumns, columnLabel } from "./column-labels.ts";

/** Summarizes the changes of a state for pages. */

type State = History["states"][number];
type Table = State["tables"][number];

/** Labels of metadata tables; changes of unlisted ones accompany others. */
const METADATA_SUBJECTS: Readonly<Record<string, string>> = {
  _grist_ACLRules: "access rules",
  _grist_ACLResources: "access rules",
  _grist_Attachments: "attachments",
  _grist_DocInfo: "document settings",
  _grist_Pages: "pages and widgets",
  _grist_TabBar: "pages and widgets",
  _grist_Views: "pages and widgets",
  _grist_Views_section: "pages and widgets",
  _grist_Views_section_field: "pages and widgets",
  _grist_Filters: "filters",
  _grist_Cells: "comments",
  _grist_Triggers: "webhooks",
  _grist_Tables: "table settings",
  _grist_Tables_column: "column settings",
};

export const isMetadata = (table: string): boolean => table.startsWith("_grist_");

/** One short sentence per change; at least one. */
export function summarizeState(state: State, columns: CurrentColumns): string[] {
  const summaries = describeChanges(state, columns);
  return state.note === null ? summaries : [state.note, ...summaries];
}

function describeChanges({ tables, isRead, n }: State, columns: CurrentColumns): string[] {
  if (!isRead) return ["A change too large to summarize"];
  const own = tables
    .filter(({ table }) => !isMetadata(table))
    .flatMap((told) => summarizeTableChanges(told, (id) => columnLabel(columns, told.table, id)));
  if (own.length > 0) return own;
  const about = changedSettings(tables);
  if (about.length > 0) return [`${capitalize(joinWithAnd(about))} changed`];
  return [n === 1 ? "Document created" : "No visible changes"];
}

/** Changes other than tables and their rows. */
export const changedSettings = (tables: readonly { readonly table: string }[]): string[] => [
  ...new Set(tables.flatMap(({ table }) => (isMetadata(table) ? [METADATA_SUBJECTS[table] ?? "other settings"] : []))),
];

/** Returns the user tables that states changed. */
export const changedUserTables = (states: readonly State[]): string[] =>
  states.flatMap(({ tables }) => tables.flatMap(({ table }) => (isMetadata(table) ? [] : [table])));

function summarizeTableChanges(tableChange: Table, label: (id: string) => string): string[] {
  const { table, isNew, isGone, renamedFrom, isReplaced, columns } = tableChange;
  if (isGone) return [`Table ${table} deleted`];
  // Rows count as changed only where their changed cells are unknown.
  const isExplained = columns.changes.some(({ cells }) => cells > 0);
  const rows = isReplaced
    ? "all rows replaced"
    : summarizeRows(isExplained ? { ...tableChange, updated: 0 } : tableChange);
  if (isNew) return [`Table ${table} added${rows ? ` with ${formatCount(tableChange.added, "row", "rows")}` : ""}`];
  return [
    ...(renamedFrom === undefined ? [] : [`Table ${renamedFrom} renamed to ${table}`]),
    ...columns.renamed.map(([from, to]) => `Column ${from} of ${table} renamed to ${to}`),
    ...summarizeColumns("added to", columns.added.map(label), table),
    ...summarizeColumns("deleted from", columns.removed, table),
    ...columns.changes
      .flatMap((change) => summarizeColumnChange(change, label(change.column)))
      .map((text) => `${table}: ${text}`),
    ...summarizeColumns("changed in", otherChangedColumns(columns).map(label), table),
    ...summarizeCells(columns.changes, label).map((text) => `${table}: ${text}`),
    ...(rows ? [`${table}: ${rows}`] : []),
  ];
}

function summarizeColumns(what: string, columns: readonly string[], table: string): string[] {
  if (columns.length === 0) return [];
  return [`${columns.length === 1 ? "Column" : "Columns"} ${joinTruncated(columns)} ${what} ${table}`];
}

type ColumnChange = Table["columns"]["changes"][number];

/** Changed type of Due to Date, 5,000 cells */
function summarizeColumnChange({ type, formula, cells }: ColumnChange, column: string): string[] {
  const amount = cells > 0 ? `, ${formatCount(cells, "cell", "cells")}` : "";
  if (formula !== undefined && formula !== "") return [`Changed formula of ${column}${amount}`];
  const to = type === undefined ? "" : typeName(type);
  if (formula === "") return [`Changed ${column} from a formula to data${to && ` of type ${to}`}${amount}`];
  return to === "" ? [] : [`Changed type of ${column} to ${to}${amount}`];
}

/** Changed columns without further details. */
function otherChangedColumns({ modified, changes }: Table["columns"]): string[] {
  const describedColumns = new Set(
    changes.flatMap(({ column, type, formula }) => ((type ?? formula) === undefined ? [] : [column])),
  );
  return modified.filter((column) => !describedColumns.has(column));
}

/** Changed 12 cells of Status and Total; empty where other sentences count all of them. */
function summarizeCells(changes: readonly ColumnChange[], label: (id: string) => string): string[] {
  const written = changes.filter(
    ({ cells, type, formula }) => cells > 0 && type === undefined && formula === undefined,
  );
  if (written.length === 0) return [];
  const amount = written.reduce((sum, each) => sum + each.cells, 0);
  const columns = joinTruncated(written.map(({ column }) => label(column)));
  return [`Changed ${formatCount(amount, "cell", "cells")} of ${columns}`];
}

const MAX_NAMED = 4;

const joinTruncated = (names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? joinWithAnd(names)
    : joinWithAnd([...names.slice(0, MAX_NAMED - 1), formatCount(names.length - MAX_NAMED + 1, "other", "others")]);

function summarizeRows({ added, updated, removed }: Table): string {
  const parts = [
    [added, "added"],
    [updated, "changed"],
    [removed, "deleted"],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, what], at) =>
      at === 0 ? `${formatCount(amount, "row", "rows")} ${what}` : `${amount.toLocaleString()} ${what}`,
    )
    .join(", ");
}

/** `a, b and c` */
export const joinWithAnd = (items: readonly string[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

import type { History } from "../../../wire/documents/history.ts";
import { typeName } from "../../base/type-names.ts";
import type { LabelKey, PlainTexts } from "../../texts/texts.ts";
import { markName } from "../../base/names.ts";
import type { PastSchema } from "./past-schema.ts";

/** Summarizes the changes of a state for pages; names are marked, see `markName`. */

type State = History["states"][number];
type Table = State["tables"][number];

/** Labels of metadata tables; changes of unlisted ones accompany others. */
const METADATA_SUBJECTS: Readonly<Record<string, LabelKey>> = {
  _grist_ACLRules: "history.subject.rules",
  _grist_ACLResources: "history.subject.rules",
  _grist_Attachments: "history.subject.attachments",
  _grist_DocInfo: "history.subject.document",
  _grist_Pages: "history.subject.pages",
  _grist_TabBar: "history.subject.pages",
  _grist_Views: "history.subject.pages",
  _grist_Views_section: "history.subject.pages",
  _grist_Views_section_field: "history.subject.pages",
  _grist_Filters: "history.subject.filters",
  _grist_Cells: "history.subject.comments",
  _grist_Triggers: "history.subject.webhooks",
  _grist_Tables: "history.subject.tables",
  _grist_Tables_column: "history.subject.columns",
};

export const isMetadata = (table: string): boolean => table.startsWith("_grist_");

/** The names of tables and columns before and after the change. */
export interface StateNames {
  readonly before: PastSchema;
  readonly after: PastSchema;
}

/** One short sentence per change; at least one. */
export function summarizeState(t: PlainTexts, state: State, names: StateNames): string[] {
  const summaries = describeChanges(t, state, names);
  return state.note === null ? summaries : [state.note, ...summaries];
}

function describeChanges(t: PlainTexts, { tables, isRead, n }: State, names: StateNames): string[] {
  if (!isRead) return [t("history.tooLarge")];
  const own = tables
    .filter(({ table }) => !isMetadata(table))
    .flatMap((change) => summarizeTableChanges(t, change, names));
  if (own.length > 0) return own;
  const about = changedSettings(t, tables);
  if (about.length > 0) return [t("history.settings", { subjects: capitalize(joinWithAnd(t, about)) })];
  return [t(n === 1 ? "history.created" : "history.noVisibleChanges")];
}

/** Changes other than tables and their rows. */
export const changedSettings = (t: PlainTexts, tables: readonly { readonly table: string }[]): string[] => [
  ...new Set(
    tables.flatMap(({ table }) => (isMetadata(table) ? [t(METADATA_SUBJECTS[table] ?? "history.subject.other")] : [])),
  ),
];

function summarizeTableChanges(t: PlainTexts, tableChange: Table, { before, after }: StateNames): string[] {
  const { table: id, added, isNew, isGone, renamedFrom, isReplaced, columns } = tableChange;
  const formerId = renamedFrom ?? id;
  if (isGone) return [t("history.table.deleted", { table: markName(before.title(id)) })];
  const table = markName(after.title(id));
  const label = (column: string): string => markName(after.columnName(id, column));
  const formerLabel = (column: string): string => markName(before.columnName(formerId, column));
  // Rows count as changed only where their changed cells are unknown.
  const isExplained = columns.changes.some(({ cells }) => cells > 0);
  const rows = isReplaced
    ? t("history.rows.replaced")
    : summarizeRows(t, isExplained ? { ...tableChange, updated: 0 } : tableChange);
  if (isNew)
    return [rows ? t("history.table.addedRows", { table, count: added }) : t("history.table.added", { table })];
  const inTable = (change: string): string => t("history.tableChange", { table, change });
  return [
    ...(renamedFrom === undefined ? [] : [summarizeTableRename(t, { from: renamedFrom, to: id }, { before, after })]),
    ...columns.renamed.map(([from, to]) => {
      const [former, column] = [formerLabel(from), label(to)];
      if (former !== column) return t("history.column.renamed", { from: former, table, to: column });
      return t("history.column.idChanged", { column, table, from: markName(from), to: markName(to) });
    }),
    ...summarizeColumns(t, "history.columns.added", columns.added.map(label), table),
    ...summarizeColumns(t, "history.columns.deleted", columns.removed.map(formerLabel), table),
    ...columns.changes.flatMap((change) => summarizeColumnChange(t, change, label(change.column))).map(inTable),
    ...summarizeColumns(t, "history.columns.changed", otherChangedColumns(columns).map(label), table),
    ...summarizeCells(t, columns.changes, label).map(inTable),
    ...(rows ? [inTable(rows)] : []),
  ];
}

function summarizeTableRename(t: PlainTexts, { from, to }: { from: string; to: string }, names: StateNames): string {
  const [former, table] = [names.before.title(from), names.after.title(to)].map(markName);
  if (former !== table) return t("history.table.renamed", { from: former ?? from, table: table ?? to });
  return t("history.table.idChanged", { table: table ?? to, from: markName(from), to: markName(to) });
}

type ColumnsKey = "history.columns.added" | "history.columns.deleted" | "history.columns.changed";

const summarizeColumns = (t: PlainTexts, key: ColumnsKey, columns: readonly string[], table: string): string[] =>
  columns.length === 0 ? [] : [t(key, { count: columns.length, columns: joinTruncated(t, columns), table })];

type ColumnChange = Table["columns"]["changes"][number];

/** Changed type of Due to Date, 5,000 cells */
function summarizeColumnChange(t: PlainTexts, change: ColumnChange, column: string): string[] {
  const { cells } = change;
  const text = columnChangeText(t, change, column);
  if (text === null) return [];
  return [cells > 0 ? t("history.column.cells", { change: text, count: cells }) : text];
}

function columnChangeText(t: PlainTexts, { type, formula }: ColumnChange, column: string): string | null {
  if (formula !== undefined && formula !== "") return t("history.column.formula", { column });
  const to = type === undefined ? null : typeName(t, type);
  if (formula !== "") return to === null ? null : t("history.column.type", { column, type: to });
  return to === null ? t("history.column.toData", { column }) : t("history.column.toDataOfType", { column, type: to });
}

/** Changed columns without further details. */
function otherChangedColumns({ modified, changes }: Table["columns"]): string[] {
  const describedColumns = new Set(
    changes.flatMap(({ column, type, formula }) => ((type ?? formula) === undefined ? [] : [column])),
  );
  return modified.filter((column) => !describedColumns.has(column));
}

/** Changed 12 cells of Status and Total; empty where other sentences count all of them. */
function summarizeCells(t: PlainTexts, changes: readonly ColumnChange[], label: (id: string) => string): string[] {
  const written = changes.filter(
    ({ cells, type, formula }) => cells > 0 && type === undefined && formula === undefined,
  );
  if (written.length === 0) return [];
  const count = written.reduce((sum, each) => sum + each.cells, 0);
  const columns = joinTruncated(
    t,
    written.map(({ column }) => label(column)),
  );
  return [t("history.cells", { count, columns })];
}

const MAX_NAMED = 4;

const joinTruncated = (t: PlainTexts, names: readonly string[]): string =>
  names.length <= MAX_NAMED
    ? joinWithAnd(t, names)
    : joinWithAnd(t, [...names.slice(0, MAX_NAMED - 1), t("history.others", { count: names.length - MAX_NAMED + 1 })]);

/** 12 rows added, 3 changed */
function summarizeRows(t: PlainTexts, { added, updated, removed }: Table): string {
  const parts = [
    [added, "history.rows.added", "history.rows.alsoAdded"],
    [updated, "history.rows.changed", "history.rows.alsoChanged"],
    [removed, "history.rows.deleted", "history.rows.alsoDeleted"],
  ] as const;
  const texts = parts
    .filter(([count]) => count > 0)
    .map(([count, first, also], at) => (at === 0 ? t(first, { count }) : t(also, { count })));
  return new Intl.ListFormat(t.locale, { type: "unit", style: "short" }).format(texts);
}

/** `a, b, and c` */
export const joinWithAnd = (t: PlainTexts, items: readonly string[]): string =>
  new Intl.ListFormat(t.locale, { type: "conjunction" }).format(items);

const capitalize = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

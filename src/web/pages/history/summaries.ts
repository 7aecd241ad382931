import type { History } from "../../../wire/documents/history.ts";
import { typeName } from "../../base/type-names.ts";
import type { LabelKey, PlainTexts } from "../../texts/texts.ts";
import { markName } from "../../base/names.ts";
import { joinTruncated, joinWithAnd } from "./joined-names.ts";
import type { StateNames } from "./past-schema.ts";
import { RowCounts, rowSentences } from "./row-counts.ts";

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

/** One short sentence per change; at least one. */
export const summarizeState = (t: PlainTexts, state: State, names: StateNames): string[] =>
  summarizeStates(t, [state], () => names);

/** The same for the changes of several states, newest first: rows and cells are counted together. */
export function summarizeStates(t: PlainTexts, states: readonly State[], namesOf: (n: number) => StateNames): string[] {
  const notes = new Set(states.flatMap(({ note }) => (note === null ? [] : [note])));
  const summaries = describeChanges(t, states, namesOf);
  return [...notes, ...summaries];
}

function describeChanges(t: PlainTexts, states: readonly State[], namesOf: (n: number) => StateNames): string[] {
  const structure = new Set<string>();
  const counts = new RowCounts();
  for (const { n, isRead, tables } of states.toReversed()) {
    if (!isRead) structure.add(t("history.tooLarge"));
    for (const change of tables) {
      if (isMetadata(change.table)) continue;
      const names = namesOf(n);
      for (const sentence of structureSentences(t, change, names)) structure.add(sentence);
      counts.add(change, names);
    }
  }
  const own = [...structure, ...counts.all.flatMap((table) => rowSentences(t, table))];
  if (own.length > 0) return own;
  const about = changedSettings(
    t,
    states.flatMap(({ tables }) => tables),
  );
  if (about.length > 0) return [t("history.settings", { subjects: joinWithAnd(t, about) })];
  return [t(states.some(({ n }) => n === 1) ? "history.created" : "history.noVisibleChanges")];
}

/** Changes other than tables and their rows. */
export const changedSettings = (t: PlainTexts, tables: readonly { readonly table: string }[]): string[] => [
  ...new Set(
    tables.flatMap(({ table }) => (isMetadata(table) ? [t(METADATA_SUBJECTS[table] ?? "history.subject.other")] : [])),
  ),
];

/** Changes of a table and its columns. */
function structureSentences(t: PlainTexts, tableChange: Table, { before, after }: StateNames): string[] {
  const { table: id, added, isNew, isGone, renamedFrom, isReplaced, columns } = tableChange;
  const formerId = renamedFrom ?? id;
  if (isGone) return [t("history.table.deleted", { table: markName(before.title(id)) })];
  const table = markName(after.title(id));
  if (isNew) {
    const hasRows = added > 0 && !isReplaced;
    return [hasRows ? t("history.table.addedRows", { table, count: added }) : t("history.table.added", { table })];
  }
  const label = (column: string): string => markName(after.columnName(id, column));
  const formerLabel = (column: string): string => markName(before.columnName(formerId, column));
  return [
    ...(renamedFrom === undefined ? [] : [summarizeTableRename(t, { from: renamedFrom, to: id }, { before, after })]),
    ...columns.renamed.map(([from, to]) => {
      const [former, column] = [formerLabel(from), label(to)];
      if (former !== column) return t("history.column.renamed", { from: former, table, to: column });
      return t("history.column.idChanged", { column, table, from: markName(from), to: markName(to) });
    }),
    ...summarizeColumns(t, "history.columns.added", columns.added.map(label), table),
    ...summarizeColumns(t, "history.columns.deleted", columns.removed.map(formerLabel), table),
    ...columns.changes.flatMap((change) => summarizeColumnChange(t, change, { table, column: label(change.column) })),
    ...summarizeColumns(t, "history.columns.changed", otherChangedColumns(columns).map(label), table),
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

interface ColumnPlace {
  readonly table: string;
  readonly column: string;
}

/** Changed the type of Due in Orders to Date, 5,000 cells */
function summarizeColumnChange(t: PlainTexts, change: ColumnChange, place: ColumnPlace): string[] {
  const { cells } = change;
  const text = columnChangeText(t, change, place);
  if (text === null) return [];
  return [cells > 0 ? t("history.column.cells", { change: text, count: cells }) : text];
}

function columnChangeText(t: PlainTexts, { type, formula }: ColumnChange, place: ColumnPlace): string | null {
  if (formula !== undefined && formula !== "") return t("history.column.formula", place);
  const to = type === undefined ? null : typeName(t, type);
  if (formula !== "") return to === null ? null : t("history.column.type", { ...place, type: to });
  return to === null ? t("history.column.toData", place) : t("history.column.toDataOfType", { ...place, type: to });
}

/** Changed columns without further details. */
function otherChangedColumns({ modified, changes }: Table["columns"]): string[] {
  const describedColumns = new Set(
    changes.flatMap(({ column, type, formula }) => ((type ?? formula) === undefined ? [] : [column])),
  );
  return modified.filter((column) => !describedColumns.has(column));
}

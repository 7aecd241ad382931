import { must } from "../../../lib/assert.ts";
import { quote } from "../../../sqlite/quote.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { addColumn, COLUMNS_TABLE } from "../schema/columns.ts";
import { remapSorting } from "../sections/layout.ts";
import { idsOf, metadataIds, removeMetadata, updateMetadata } from "../metadata.ts";
import { IN_IDS } from "../row-storage.ts";
import { groupingColumns, isGroupColumn } from "./summary-columns.ts";
import { groupColumnId, sumFormula, findOrCreateSummary } from "./summary-table.ts";

/** Regroups the sections of summaries by the remaining columns when a group-by column is removed. */

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

/**
 * Moves the sections of summaries that are grouped by these columns to summaries grouped by the remaining columns. Must
 * be called before the columns are removed. Returns the ids of the summaries that are no longer needed.
 */
export function regroupWithout(change: Change, columns: readonly ColumnInfo[]): string[] {
  const removedRefs = new Set(columns.map((column) => column.ref));
  const affected = change.schema.tables.filter((table) =>
    groupingColumns(table).some((column) => removedRefs.has(column.summarySourceCol)),
  );
  for (const summary of affected) {
    const sections = sectionsOnPages(change, summary);
    if (sections.length === 0) continue;
    // The raw section moves too; it is then no longer a built-in section of any table.
    if (summary.rawViewSectionRef > 0) sections.unshift(summary.rawViewSectionRef);
    const by = groupingColumns(summary).flatMap(({ summarySourceCol }) =>
      removedRefs.has(summarySourceCol) ? [] : (change.schema.columnByRef.get(summarySourceCol) ?? []),
    );
    moveSections(change, { summary, sections, by });
  }
  return affected.map((summary) => summary.id);
}

/** Returns those of the tables that are summaries and not shown by any section except their raw section. */
export function unusedSummaries(change: Change, tableRefs: readonly number[]): string[] {
  const tables = tableRefs.flatMap((ref) => change.schema.tableByRef.get(ref) ?? []);
  return tables
    .filter((table) => table.summarySourceTable > 0 && sectionsOnPages(change, table).length === 0)
    .map((table) => table.id);
}

const sectionsOnPages = (change: Change, { ref, rawViewSectionRef }: TableInfo): number[] =>
  metadataIds(change, `select id from ${SECTIONS} where tableRef = ? and id <> ?`, ref, rawViewSectionRef);

/**
 * Moves sections of a summary to the summary grouped by these columns of the source, with the same formulas, and
 * returns that summary. Former numeric group-by columns become sums, which come right after the group-by columns and
 * take over the fields of the numbers.
 */
export function moveSections(
  change: Change,
  { summary, sections, by }: { summary: TableInfo; sections: readonly number[]; by: readonly ColumnInfo[] },
): TableInfo {
  const source = must(change.schema.tableByRef.get(summary.summarySourceTable), "source of the summary");
  const kept = new Set(by.map((column) => column.ref));
  const ungrouped = groupingColumns(summary).flatMap(({ summarySourceCol }) =>
    kept.has(summarySourceCol) ? [] : (change.schema.columnByRef.get(summarySourceCol) ?? []),
  );
  const target = findOrCreateSummary(change, source, {
    by,
    withSums: false,
    ungrouped,
    groupName: groupColumnId(summary),
  });
  if (target.ref === summary.ref) return target;
  const isNew = sectionsOnPages(change, target).length === 0;
  const columns = copySummaryColumns(change, summary, { target, isNew });
  moveSectionsTo(change, { summary, sections, target, columns });
  return target;
}

/**
 * Moves sections to another table. `columns` maps columns of the summary to its columns; fields of other columns are
 * removed.
 */
export function moveSectionsTo(
  change: Change,
  {
    summary,
    sections,
    target,
    columns,
  }: {
    summary: TableInfo;
    sections: readonly number[];
    target: TableInfo;
    columns: ReadonlyMap<number, number>;
  },
): void {
  const to = (ref: number) => columns.get(ref) ?? 0;
  const list = JSON.stringify(sections);
  const find = (sql: string) => metadataIds(change, sql, list);
  updateMetadata(change, SECTIONS, sections, { tableRef: target.ref });
  moveFields(change, list, columns);
  for (const filter of find(`select id from _grist_Filters where viewSectionRef ${IN_IDS}`)) {
    remapRef(change, { table: "_grist_Filters", column: "colRef", id: filter, to });
  }
  for (const section of sections) remapRef(change, { table: SECTIONS, column: "linkTargetColRef", id: section, to });
  for (const linked of find(`select id from ${SECTIONS} where linkSrcSectionRef ${IN_IDS}`)) {
    remapRef(change, { table: SECTIONS, column: "linkSrcColRef", id: linked, to });
  }
  for (const section of sections) remapRules(change, { table: SECTIONS, id: section, columns });
  const own = new Set(summary.columns.map((column) => column.ref));
  remapSorting(change, (column) => (own.has(column) ? columns.get(column) : column));
}

/**
 * Copies the columns of a summary to the target, except former group-by columns. Columns that both have keep their
 * options unless the target is new. Returns the refs of the target's columns by the refs of the summary's.
 */
function copySummaryColumns(
  change: Change,
  summary: TableInfo,
  { target, isNew }: { target: TableInfo; isNew: boolean },
): ReadonlyMap<number, number> {
  const moved = new Map<number, number>();
  const columnsToStyle: ColumnInfo[] = [];
  const groups = new Set(groupingColumns(target).map((column) => column.id));
  for (const column of summary.columns) {
    // Skip the sum of a column that is now a group-by column.
    if (column.summarySourceCol === 0 && groups.has(column.id)) continue;
    const equivalent =
      target.columns.find((other) => isEquivalent(column, other)) ?? sumInsteadOf(change, column, target);
    if (equivalent) moved.set(column.ref, equivalent.ref);
    else if (column.summarySourceCol === 0 && column.isFormula) {
      moved.set(column.ref, addFormula(change, column, target.id));
    } else continue;
    if (!equivalent || isNew) columnsToStyle.push(column);
  }
  for (const {
    ref,
    widgetOptions,
    description,
    untieColIdFromLabel,
    visibleCol,
    displayCol,
    rules,
  } of columnsToStyle) {
    const ownRules = (rules ?? []).flatMap((rule) => moved.get(rule) ?? []);
    updateMetadata(change, COLUMNS_TABLE, moved.get(ref) ?? 0, {
      widgetOptions,
      description,
      untieColIdFromLabel,
      visibleCol,
      displayCol: moved.get(displayCol) ?? 0,
      rules: ownRules.length > 0 ? ["L", ...ownRules] : null,
    });
  }
  return moved;
}

/** Returns the sum that replaces a numeric column which the target does not group by. */
function sumInsteadOf(change: Change, { summarySourceCol }: ColumnInfo, target: TableInfo): ColumnInfo | undefined {
  const source = change.schema.columnByRef.get(summarySourceCol);
  const sum = source && sumFormula(source.id, groupColumnId(target));
  return target.columns.find(({ isFormula, formula }) => isFormula && formula === sum);
}

function isEquivalent(column: ColumnInfo, other: ColumnInfo): boolean {
  if (column.summarySourceCol > 0) return column.summarySourceCol === other.summarySourceCol;
  if (isGroupColumn(column)) return isGroupColumn(other);
  const isLike = column.isHidden ? isDisplay(column) && isDisplay(other) : column.id === other.id;
  return isLike && other.isFormula && column.formula === other.formula && column.type === other.type;
}

/** Returns true for display helpers. These can be shared by columns and fields, unlike conditional formats. */
const isDisplay = ({ id }: ColumnInfo): boolean => id.startsWith("gristHelper_Display");

function addFormula(change: Change, { id, type, formula, label, isHidden }: ColumnInfo, target: string): number {
  const input = { type, isFormula: true, formula, label };
  return addColumn(change, target, { name: id, input, visibility: isHidden ? "hidden" : "builtIn" }).colRef;
}

function moveFields(change: Change, sections: string, columns: ReadonlyMap<number, number>): void {
  const rows = change.db.values(`select id, colRef, displayCol from ${FIELDS} where parentId ${IN_IDS}`, sections);
  const removedFields = rows.filter(([, column]) => !columns.has(Number(column))).map(([id]) => Number(id));
  removeMetadata(change, FIELDS, removedFields);
  for (const [id, column, display] of rows) {
    const colRef = columns.get(Number(column));
    if (colRef === undefined) continue;
    updateMetadata(change, FIELDS, Number(id), { colRef, displayCol: columns.get(Number(display)) ?? 0 });
    remapRules(change, { table: FIELDS, id: Number(id), columns });
  }
}

/** Changes the column ref of a metadata record. Filters whose column has no counterpart are removed. */
function remapRef(
  change: Change,
  { table, column, id, to }: { table: string; column: string; id: number; to: (ref: number) => number },
): void {
  const [row] = change.db.values(`select ${quote(column)} from ${quote(table)} where id = ?`, id);
  const before = Number(row?.[0] ?? 0);
  if (before === 0) return;
  const after = to(before);
  if (after === 0 && table === "_grist_Filters") removeMetadata(change, table, [id]);
  else updateMetadata(change, table, id, { [column]: after });
}

function remapRules(
  change: Change,
  { table, id, columns }: { table: string; id: number; columns: ReadonlyMap<number, number> },
): void {
  const [row] = change.db.values(`select rules from ${quote(table)} where id = ?`, id);
  const rules = idsOf(row?.[0]);
  if (rules.length === 0) return;
  const moved = rules.flatMap((rule) => columns.get(rule) ?? []);
  updateMetadata(change, table, id, { rules: moved.length > 0 ? ["L", ...moved] : null });
}

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

/** What happens to summaries when a column goes that they are grouped by: whatever shows them groups by the others. */

const SECTIONS = "_grist_Views_section";
const FIELDS = "_grist_Views_section_field";

/**
 * To be called before columns go. Sections that show summaries grouped by them show summaries grouped by what is left.
 * Gives back the ids of the summaries that are of no use any more.
 */
export function regroupWithout(change: Change, columns: readonly ColumnInfo[]): string[] {
  const removedRefs = new Set(columns.map((column) => column.ref));
  const affected = change.schema.tables.filter((table) =>
    groupingColumns(table).some((column) => removedRefs.has(column.summarySourceCol)),
  );
  for (const summary of affected) {
    const sections = sectionsOnPages(change, summary);
    if (sections.length === 0) continue;
    // The raw section goes along, and stays there as one that no table calls its own.
    if (summary.rawViewSectionRef > 0) sections.unshift(summary.rawViewSectionRef);
    const by = groupingColumns(summary).flatMap(({ summarySourceCol }) =>
      removedRefs.has(summarySourceCol) ? [] : (change.schema.columnByRef.get(summarySourceCol) ?? []),
    );
    moveSections(change, { summary, sections, by });
  }
  return affected.map((summary) => summary.id);
}

/** The summaries among tables that nothing but the section of their raw data shows. */
export function unusedSummaries(change: Change, tableRefs: readonly number[]): string[] {
  const tables = tableRefs.flatMap((ref) => change.schema.tableByRef.get(ref) ?? []);
  return tables
    .filter((table) => table.summarySourceTable > 0 && sectionsOnPages(change, table).length === 0)
    .map((table) => table.id);
}

const sectionsOnPages = (change: Change, { ref, rawViewSectionRef }: TableInfo): number[] =>
  metadataIds(change, `select id from ${SECTIONS} where tableRef = ? and id <> ?`, ref, rawViewSectionRef);

/**
 * Has sections that show a summary show the one grouped by these columns of its source instead, with the same formulas.
 * Numbers that are no longer grouped by become sums, which come right after the columns that group and are shown where
 * the numbers were. Returns that summary.
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

/** Has sections show another table. `columns` has its columns by those of the summary; fields of others go. */
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
 * Has the target all columns of a summary but those that are grouped by no more; what both have keeps its looks unless
 * the target is new. Gives by the number of each the other's.
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
    // A sum of what is grouped by now is of no use.
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

/** The sum that takes the place of a number which the target does not group by. */
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

/** Columns and fields may share what they show, but each conditional format is there for one of them. */
const isDisplay = ({ id }: ColumnInfo): boolean => id.startsWith("gristHelper_Display");

function addFormula(change: Change, { id, type, formula, label, isHidden }: ColumnInfo, target: string): number {
  const input = { type, isFormula: true, formula, label };
  return addColumn(change, target, { name: id, input, visibility: isHidden ? "nowhere" : "own" }).colRef;
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

/** Has a record of metadata name another column; where it is about none any more, it goes if that is all it is about. */
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

import { must } from "../../../lib/assert.ts";
import { pickColumnId, pickSummaryTableId } from "../../identifiers.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { addColumn, COLUMNS_TABLE } from "../schema/columns.ts";
import { addSection } from "../sections/layout.ts";
import { updateMetadata } from "../metadata.ts";
import {
  GROUP_FORMULA,
  groupingColumns,
  groupingType,
  isGroupColumn,
  summariesOf,
  withoutConditionalFormats,
} from "./summary-columns.ts";
import { createTable, type TableColumn, takenTableIds } from "../schema/tables.ts";

/**
 * Summaries: tables with a row for each combination of values that some columns of another table hold. Here they are
 * made; their rows come with the computing of formulas.
 */

export interface SummaryGrouping {
  /** Columns of the source. */
  readonly by: readonly ColumnInfo[];
  /** Whether the summary is to have a count and the sums of all numbers that it does not group by. */
  readonly withSums: boolean;
  /** Columns of the source by which the summary that it replaces is grouped: numbers among them are summed. */
  readonly ungrouped?: readonly ColumnInfo[];
  /** The id for the column that lists the records of each group, where formulas are to be carried over that name it. */
  readonly groupName?: string;
}

/** The summary of a table with this grouping, made when there is none. */
export function findOrCreateSummary(change: Change, source: TableInfo, grouping: SummaryGrouping): TableInfo {
  const { by, withSums, ungrouped = [] } = grouping;
  const found = findSummary(change, source, by);
  if (!found) return createSummary(change, source, grouping);
  const group = groupColumnId(found);
  if (withSums) addMissingSums(change, found, sumsOf(source, { by, group }));
  addMissingSums(change, found, sumsOfNumbers(ungrouped, group));
  return summaryByRef(change, found.ref);
}

function findSummary(change: Change, source: TableInfo, by: readonly ColumnInfo[]): TableInfo | undefined {
  const groupRefs = new Set(by.map((column) => column.ref));
  return summariesOf(change.schema, source.ref).find((summary) => {
    const columns = groupingColumns(summary);
    return columns.length === groupRefs.size && columns.every((column) => groupRefs.has(column.summarySourceCol));
  });
}

function createSummary(
  change: Change,
  source: TableInfo,
  { by, withSums, ungrouped = [], groupName = "group" }: SummaryGrouping,
): TableInfo {
  const groupings = by.map(groupingColumn);
  const names = by.map((column) => column.id);
  const group = pickColumnId(groupName, [...names, ...ungrouped.map((column) => column.id)]);
  const ungroupedSums = sumsOfNumbers(ungrouped, group);
  const columns = withUniqueIds([
    ...groupings,
    ...ungroupedSums,
    formulaColumn({ id: group, type: `RefList:${source.id}`, formula: GROUP_FORMULA }),
    ...(withSums ? sumsOf(source, { by, group }) : []),
  ]);
  const id = pickSummaryTableId(source.id, names, takenTableIds(change));
  const { tableRef, columnRefs } = createTable(change, { id, columns, fields: { summarySourceTable: source.ref } });
  // A new table is empty and nothing of it would be computed; but this one gets its rows by that.
  for (const column of columns) change.dirty.columnChanged(id, column.id);
  for (const [c, column] of by.entries()) copyDisplay(change, id, { column, grouping: columnRefs[c] ?? 0 });
  const shown = columnRefs.filter((_, c) => c !== groupings.length + ungroupedSums.length);
  const raw = addSection(change, { tableRef, parentKey: "record" }, shown);
  updateMetadata(change, "_grist_Tables", tableRef, { rawViewSectionRef: raw });
  return summaryByRef(change, tableRef);
}

const summaryByRef = (change: Change, ref: number): TableInfo => must(change.schema.tableByRef.get(ref), "summary");

/** The id of the column that lists the records of each group. */
export const groupColumnId = (summary: TableInfo): string => summary.columns.find(isGroupColumn)?.id ?? "group";

/** The columns of a summary that programs show: all but the lists of records. */
export const shownColumns = (summary: TableInfo): ColumnInfo[] =>
  byPosition(summary).filter((column) => !column.isHidden && column.id !== "group" && !isGroupColumn(column));

export const byPosition = (table: TableInfo): ColumnInfo[] =>
  table.columns.toSorted((a, b) => a.position - b.position || a.ref - b.ref);

function groupingColumn(column: ColumnInfo): TableColumn {
  const { id, label, untieColIdFromLabel, visibleCol } = column;
  const widgetOptions = withoutConditionalFormats(column.widgetOptions);
  const more = { widgetOptions, untieColIdFromLabel, visibleCol, summarySourceCol: column.ref };
  return { id, label, type: groupingType(column.type), isFormula: false, formula: "", more };
}

function formulaColumn(column: { id: string; type: string; formula: string }): TableColumn {
  return { ...column, label: null, isFormula: true, more: {} };
}

/** The number of records in each group, and the sum of every number; a number named `count` takes the count's place. */
function sumsOf(source: TableInfo, { by, group }: { by: readonly ColumnInfo[]; group: string }): TableColumn[] {
  const grouped = new Set(by.map((column) => column.ref));
  const sums = sumsOfNumbers(
    byPosition(source).filter(({ ref }) => !grouped.has(ref)),
    group,
  );
  const hasCount = [...by, ...sums].some(({ id }) => id === "count");
  return hasCount ? sums : [formulaColumn({ id: "count", type: "Int", formula: `len($${group})` }), ...sums];
}

function sumsOfNumbers(columns: readonly ColumnInfo[], group: string): TableColumn[] {
  const numbers = columns.filter(({ type }) => NUMBERS.has(type));
  return numbers.map(({ id, type, label, widgetOptions }): TableColumn => {
    const sum = formulaColumn({ id, type, formula: sumFormula(id, group) });
    return { ...sum, label, more: { widgetOptions: withoutConditionalFormats(widgetOptions) } };
  });
}

/** The formula of a summary's column that sums up a column of the source. */
export const sumFormula = (id: string, group: string): string => `SUM($${group}.${id})`;

const NUMBERS: ReadonlySet<string> = new Set(["Int", "Numeric"]);

/** Gives each an id of its own: a column of the source may be named like those every summary has. */
function withUniqueIds(columns: readonly TableColumn[]): TableColumn[] {
  const taken: string[] = [];
  return columns.map((column) => {
    const id = pickColumnId(column.id, taken);
    taken.push(id);
    return { ...column, id };
  });
}

/** A reference that groups shows what the one it stands for shows. */
function copyDisplay(
  change: Change,
  table: string,
  { column, grouping }: { column: ColumnInfo; grouping: number },
): void {
  const helper = change.schema.columnByRef.get(column.displayCol);
  if (!helper?.formula.startsWith(`$${column.id}.`)) return;
  const input = { type: "Any", isFormula: true, formula: helper.formula };
  const { colRef } = addColumn(change, table, { name: "gristHelper_Display", input, visibility: "nowhere" });
  updateMetadata(change, COLUMNS_TABLE, grouping, { displayCol: colRef });
}

/** Numbers that the source has got since the summary was made. */
function addMissingSums(change: Change, summary: TableInfo, sums: readonly TableColumn[]): void {
  const ids = new Set(summary.columns.map(({ id }) => id.toLowerCase()));
  const formulas = new Set(summary.columns.map(({ formula }) => formula));
  for (const { id, type, formula, label, more } of sums) {
    if (ids.has(id.toLowerCase()) || formulas.has(formula)) continue;
    const input = { type, isFormula: true, formula, ...(label !== null && { label }), ...more };
    addColumn(change, summary.id, { name: id, input, visibility: "own" });
  }
}

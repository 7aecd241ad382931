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
 * Creates summaries: tables with a row for each combination of values in some columns of a source table. Recalculation
 * creates their rows.
 */

export interface SummaryGrouping {
  /** Group-by columns of the source. */
  readonly by: readonly ColumnInfo[];
  /** Adds a count, and sums of all numeric columns that are not group-by columns. */
  readonly withSums: boolean;
  /** Group-by columns of the summary that this one replaces: numeric ones are summed. */
  readonly ungrouped?: readonly ColumnInfo[];
  /** The id of the group column, when formulas that refer to it are carried over. */
  readonly groupName?: string;
}

/** Returns the summary of a table with this grouping; creates it if necessary. */
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
  // A new table is empty and has no dirty rows, but recalculating the columns of a summary creates its rows.
  for (const column of columns) change.dirty.columnChanged(id, column.id);
  for (const [c, column] of by.entries()) copyDisplay(change, id, { column, grouping: columnRefs[c] ?? 0 });
  const shown = columnRefs.filter((_, c) => c !== groupings.length + ungroupedSums.length);
  const raw = addSection(change, { tableRef, parentKey: "record" }, shown);
  updateMetadata(change, "_grist_Tables", tableRef, { rawViewSectionRef: raw });
  return summaryByRef(change, tableRef);
}

const summaryByRef = (change: Change, ref: number): TableInfo => must(change.schema.tableByRef.get(ref), "summary");

/** Returns the id of the group column. */
export const groupColumnId = (summary: TableInfo): string => summary.columns.find(isGroupColumn)?.id ?? "group";

/** Returns the columns of a table that clients show: all except hidden columns and group columns. */
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

/** Returns columns for the number of records and the sum of every number. A number named `count` replaces the count. */
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

/** Returns the formula that sums a column of the source. */
export const sumFormula = (id: string, group: string): string => `SUM($${group}.${id})`;

const NUMBERS: ReadonlySet<string> = new Set(["Int", "Numeric"]);

/** Makes ids unique: a column of the source may have the id of a standard summary column. */
function withUniqueIds(columns: readonly TableColumn[]): TableColumn[] {
  const taken: string[] = [];
  return columns.map((column) => {
    const id = pickColumnId(column.id, taken);
    taken.push(id);
    return { ...column, id };
  });
}

/** Copies the display formula of a source reference to its group-by column. */
function copyDisplay(
  change: Change,
  table: string,
  { column, grouping }: { column: ColumnInfo; grouping: number },
): void {
  const helper = change.schema.columnByRef.get(column.displayCol);
  if (!helper?.formula.startsWith(`$${column.id}.`)) return;
  const input = { type: "Any", isFormula: true, formula: helper.formula };
  const { colRef } = addColumn(change, table, { name: "gristHelper_Display", input, visibility: "hidden" });
  updateMetadata(change, COLUMNS_TABLE, grouping, { displayCol: colRef });
}

/** Adds sums of numeric columns that were added to the source after the summary was created. */
function addMissingSums(change: Change, summary: TableInfo, sums: readonly TableColumn[]): void {
  const ids = new Set(summary.columns.map(({ id }) => id.toLowerCase()));
  const formulas = new Set(summary.columns.map(({ formula }) => formula));
  for (const { id, type, formula, label, more } of sums) {
    if (ids.has(id.toLowerCase()) || formulas.has(formula)) continue;
    const input = { type, isFormula: true, formula, ...(label !== null && { label }), ...more };
    addColumn(change, summary.id, { name: id, input, visibility: "builtIn" });
  }
}

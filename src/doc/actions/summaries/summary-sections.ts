import { invalid } from "../../../errors.ts";
import { must } from "../../../lib/assert.ts";
import type { CellValue } from "../../../values/cell.ts";
import { columnType } from "../../../values/column-type.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import { addColumn } from "../schema/columns.ts";
import type { Change } from "../change.ts";
import { resolveGroupBy } from "../sections/create-section.ts";
import type { ColumnValues } from "../doc-action.ts";
import { insertFields } from "../sections/layout.ts";
import { removeTable, removeUnusedHelpers } from "../schema/remove-columns-and-tables.ts";
import { readRows } from "../row-storage.ts";
import { groupingColumns, isGroupColumn } from "./summary-columns.ts";
import { moveSections, moveSectionsTo, unusedSummaries } from "./regroup-summaries.ts";
import { shownColumns } from "./summary-table.ts";
import { addTable } from "../schema/tables.ts";

/** Changes the grouping of sections that show summaries. */

const FIELDS = "_grist_Views_section_field";

/**
 * Groups a section by other columns of the source: moves it to the summary table with that grouping, which is created
 * if necessary. Formulas and their fields are kept; fields of new group-by columns come first. A summary table that no
 * section shows any more is removed.
 * @param refs column refs of the source table
 * @throws AppError `invalid` when the section does not show a summary, or a column does not belong to the source
 */
export function updateSummarySection(change: Change, section: number, refs: readonly unknown[]): void {
  const summary = summaryOfSection(change, section);
  const source = sourceOf(change, summary);
  const target = moveSections(change, { summary, sections: [section], by: resolveGroupBy(change, source, refs) });
  if (target.ref === summary.ref) return;
  addGroupFields(change, section, target);
  removeIfUnused(change, summary);
}

/** Adds missing fields of group-by columns to a section, each before the fields that follow it in the summary. */
function addGroupFields(change: Change, section: number, target: TableInfo): void {
  const groups = groupingColumns(target).map((column) => column.ref);
  const fields = `select colRef, parentPos from ${FIELDS} where parentId = ? order by parentPos`;
  for (const [g, column] of groups.entries()) {
    const rows = change.db.values(fields, section);
    if (rows.some(([shown]) => Number(shown) === column)) continue;
    const precedingGroups = new Set(groups.slice(0, g));
    const next = rows.find(([shown]) => !precedingGroups.has(Number(shown)));
    insertFields(change, section, { columns: [column], before: next === undefined ? null : Number(next[1]) });
  }
}

/**
 * Converts the summary that a section shows to a regular table with a page, and moves the section to it. Each row keeps
 * its id and its groups as data, and looks up the rows of the source by them.
 * @throws AppError `invalid` when the section does not show a summary
 */
export function detachSummarySection(change: Change, section: number): void {
  const summary = summaryOfSection(change, section);
  const source = sourceOf(change, summary);
  const group = summary.columns.find(isGroupColumn);
  const columns = shownColumns(summary);
  const { id, table_id: table } = addTable(
    change,
    null,
    columns.map(({ id: column, type, isFormula, formula, label, widgetOptions }) => ({
      id: column,
      type,
      isFormula,
      formula,
      label,
      widgetOptions,
    })),
    { page: true },
  );
  copyRows(change, { summary, table, columns });
  addColumn(change, table, {
    name: group?.id ?? "group",
    input: {
      type: `RefList:${source.id}`,
      isFormula: true,
      formula: groupLookupFormula(change, source, summary),
      ...(group && { label: group.label }),
    },
    visibility: "hidden",
  });
  const target = must(change.schema.tableByRef.get(id), "table");
  const columnOf = new Map(
    summary.columns.flatMap(({ ref, id: column }) => {
      const own = target.columnById.get(column);
      return own ? [[ref, own.ref] as const] : [];
    }),
  );
  moveSectionsTo(change, { summary, sections: [section], target, columns: columnOf });
  removeIfUnused(change, summary);
}

/** The formula text for the group of empty lists, by the type of the group-by column. */
const EMPTY_GROUPS: ReadonlyMap<string, string> = new Map([
  ["ChoiceList", '""'],
  ["RefList", "0"],
  ["Attachments", "0"],
]);

/** Returns the formula that looks up the rows of the source by the groups of a row. */
function groupLookupFormula(change: Change, source: TableInfo, summary: TableInfo): string {
  const conditions = groupingColumns(summary).map(({ id, summarySourceCol }) => {
    const column = must(change.schema.columnByRef.get(summarySourceCol), "grouped column");
    const empty = EMPTY_GROUPS.get(columnType(column.type).base);
    return `${column.id}=${empty === undefined ? `$${id}` : `CONTAINS($${id}, match_empty=${empty})`}`;
  });
  return `${source.id}.lookupRecords(${conditions.join(", ")})`;
}

function copyRows(
  change: Change,
  { summary, table, columns }: { summary: TableInfo; table: string; columns: readonly ColumnInfo[] },
): void {
  const data = columns.filter((column) => !column.isFormula).map(({ id }) => change.catalog.column(summary.id, id));
  const { ids, cells } = readRows(change.db, summary.id, data);
  if (ids.length === 0) return;
  const values: ColumnValues = Object.fromEntries(data.map(({ id }, c) => [id, cells[c] ?? []]));
  const positions = ids.map((_, r): CellValue => r + 1);
  change.apply(["BulkAddRecord", table, ids, { manualSort: positions, ...values }]);
  change.setLastPosition(table, "manualSort", ids.length);
}

/** Removes a summary that no section shows any more, and helper columns that only the moved section used. */
function removeIfUnused(change: Change, summary: TableInfo): void {
  for (const id of unusedSummaries(change, [summary.ref])) removeTable(change, id);
  removeUnusedHelpers(change);
}

const sourceOf = (change: Change, summary: TableInfo): TableInfo =>
  must(change.schema.tableByRef.get(summary.summarySourceTable), "source of the summary");

function summaryOfSection(change: Change, section: number): TableInfo {
  const [row] = change.db.values("select tableRef from _grist_Views_section where id = ? and parentId > 0", section);
  const table = row && change.schema.tableByRef.get(Number(row[0]));
  if (table && table.summarySourceTable > 0) return table;
  throw invalid(row ? `Section ${section} does not show a summary table` : `Section ${section} does not exist`);
}

import { invalid } from "../../../errors.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { addPage, addView } from "./layout.ts";
import { addPageSection } from "./page-sections.ts";
import { shownColumns, findOrCreateSummary } from "../summaries/summary-table.ts";
import { addTable, tableInfo } from "../schema/tables.ts";

/** What a section is asked for by. Numbers are those of the metadata's records. */
export interface SectionRequest {
  /** 0 for a new table. */
  readonly tableRef: number;
  /** 0 for a new page. */
  readonly viewRef: number;
  /** How it shows records: `record` for a grid, `single`, `detail`, `chart`, `form`, `custom` or `custom.…`. */
  readonly type: string;
  /** Columns that the table's records are summarised by; null shows the records themselves. */
  readonly groupBy: readonly unknown[] | null;
  /** The name of a new table. */
  readonly tableName: string | null;
  /** The columns that a new table has. */
  readonly newColumns: readonly Record<string, unknown>[];
}

/** In the words of the API. */
export interface CreatedSection {
  /** The table that was asked for or made; of a summary, its source. */
  readonly tableRef: number;
  readonly viewRef: number;
  readonly sectionRef: number;
}

const TYPES = /^(?:record|single|detail|chart|form|custom(?:\.\w+)?)$/;

/** Shows a table, or a summary of it, on a page. @throws AppError `invalid` when something it names is not there */
export function createSection(change: Change, request: SectionRequest): CreatedSection {
  const { type, groupBy } = request;
  if (!TYPES.test(type)) throw invalid(`${JSON.stringify(type)} is not a type of section`);
  const hasView = change.db.values("select 1 from _grist_Views where id = ?", request.viewRef).length > 0;
  if (request.viewRef > 0 && !hasView) throw invalid(`There is no view with the number ${request.viewRef}`);
  const table = tableForSection(change, request);
  const shown = groupBy
    ? findOrCreateSummary(change, table, { by: resolveGroupBy(change, table, groupBy), withSums: true })
    : table;
  const name = request.tableRef > 0 ? "New page" : table.id;
  const viewRef = request.viewRef > 0 ? request.viewRef : addView(change, { name, type: "empty" });
  const sectionRef = addPageSection(change, { table: shown, view: viewRef, kind: type });
  return { tableRef: table.ref, viewRef, sectionRef };
}

function tableForSection(change: Change, { tableRef, tableName, newColumns }: SectionRequest): TableInfo {
  const ref = tableRef > 0 ? tableRef : addTable(change, tableName, newColumns, { page: false }).id;
  const table = change.schema.tableByRef.get(ref);
  if (!table) throw invalid(`There is no table with the number ${ref}`);
  return table;
}

/** The columns of a table with these numbers. @throws AppError `invalid` for others, and for one given twice */
export function resolveGroupBy(change: Change, table: TableInfo, refs: readonly unknown[]): ColumnInfo[] {
  if (table.summarySourceTable > 0) throw invalid(`${JSON.stringify(table.id)} is a summary itself`);
  const columns = refs.map((ref) => {
    const column = typeof ref === "number" ? change.schema.columnByRef.get(ref) : undefined;
    if (column?.tableRef === table.ref && !column.isHidden) return column;
    throw invalid(`Table ${JSON.stringify(table.id)} has no column with the number ${JSON.stringify(ref)}`);
  });
  const repeated = columns.find((column, c) => columns.indexOf(column) !== c);
  if (repeated) throw invalid(`${JSON.stringify(repeated.id)} cannot group the records twice`);
  return columns;
}

/** In the words of the API. */
export interface AddedView {
  readonly id: number;
  readonly sections: number[];
}

/**
 * Adds a page: `empty`, or `raw_data` with a grid of the table.
 * @throws AppError `invalid` for another type, or an unknown table
 */
export function addViewForTable(
  change: Change,
  table: string,
  { type, name }: { type: string; name: string },
): AddedView {
  if (type !== "empty" && type !== "raw_data") throw invalid('The type of a view must be "empty" or "raw_data"');
  const info = tableInfo(change, table);
  if (type === "empty") return { id: addView(change, { name, type }), sections: [] };
  const columns = shownColumns(info).map((column) => column.ref);
  const { view, section } = addPage(change, { tableRef: info.ref, name, columns });
  return { id: view, sections: [section] };
}

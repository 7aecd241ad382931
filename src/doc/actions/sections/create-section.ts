import { invalid } from "../../../errors.ts";
import type { ColumnInfo, TableInfo } from "../../schema.ts";
import type { Change } from "../change.ts";
import { addPage, addView } from "./layout.ts";
import { addPageSection } from "./page-sections.ts";
import { shownColumns, findOrCreateSummary } from "../summaries/summary-table.ts";
import { addTable, tableInfo } from "../schema/tables.ts";

/** A request for a section. Refs are ids of metadata records. */
export interface SectionRequest {
  /** 0 for a new table. */
  readonly tableRef: number;
  /** 0 for a new page. */
  readonly viewRef: number;
  /**
   * The type of the section: `record` for a grid, `single`, `detail`, `chart`, `form`, `custom` or `custom.…`. Other
   * types are stored as they are: files of newer programs have them, and records of sections accept them too.
   */
  readonly type: string;
  /** Refs of the columns to group by; null shows the records themselves. */
  readonly groupBy: readonly unknown[] | null;
  /** The name of a new table. */
  readonly tableName: string | null;
  /** The columns of a new table. */
  readonly newColumns: readonly Record<string, unknown>[];
}

/** The result, with the field names of the API. */
export interface CreatedSection {
  /** The requested or new table; for a summary, its source. */
  readonly tableRef: number;
  readonly viewRef: number;
  readonly sectionRef: number;
}

/**
 * Adds a section with a table or a summary of it to a page. @throws AppError `invalid` for missing tables, views,
 * columns
 */
export function createSection(change: Change, request: SectionRequest): CreatedSection {
  const { type, groupBy } = request;
  const hasView = change.db.values("select 1 from _grist_Views where id = ?", request.viewRef).length > 0;
  if (request.viewRef > 0 && !hasView) throw invalid(`View ${request.viewRef} does not exist`);
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
  if (!table) throw invalid(`Table ${ref} does not exist`);
  return table;
}

/** Returns the columns with these refs. @throws AppError `invalid` for columns of other tables, and for duplicates */
export function resolveGroupBy(change: Change, table: TableInfo, refs: readonly unknown[]): ColumnInfo[] {
  if (table.summarySourceTable > 0) throw invalid(`${JSON.stringify(table.id)} is already a summary table`);
  const columns = refs.map((ref) => {
    const column = typeof ref === "number" ? change.schema.columnByRef.get(ref) : undefined;
    if (column?.tableRef === table.ref && !column.isHidden) return column;
    throw invalid(`Table ${JSON.stringify(table.id)} has no column ${JSON.stringify(ref)}`);
  });
  const repeated = columns.find((column, c) => columns.indexOf(column) !== c);
  if (repeated) throw invalid(`Column ${JSON.stringify(repeated.id)} cannot be used for grouping twice`);
  return columns;
}

/** The result, with the field names of the API. */
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

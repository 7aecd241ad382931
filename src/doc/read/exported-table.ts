import { frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { ExportedColumn, ExportedRow, ExportedTable, CellSource } from "../../exchange/exported-table.ts";
import type { CellValue } from "../../values/cell.ts";
import { quote } from "../../sqlite/quote.ts";
import { type ColumnType, columnType, type StoredValue } from "../../values/column-type.ts";
import type { FormattedType } from "../../values/cell-formatter.ts";
import type { ReadConnection } from "../cursors.ts";
import type { OpenDocument } from "../document.ts";
import { readMetadataRecord } from "./metadata-records.ts";
import { widgetOptions } from "../widget-options.ts";
import { isHiddenColumn, type ColumnInfo, type TableInfo } from "../schema.ts";
import type { Filter } from "../filters/parse-filter.ts";
import { BatchSizer } from "./batch-sizer.ts";
import { type Row, RowScan, type Selection } from "./row-scan.ts";
import type { VisibilityFilter } from "./visibility-filter.ts";
import { compileQuery } from "./row-query.ts";
import { findReadTable } from "./read-table.ts";

/** A column of an export; a widget's field may override the column's format. */
export interface ExportColumn {
  readonly column: ColumnInfo;
  /** JSON text, or empty. */
  readonly widgetOptions: string;
  /** Column refs; 0 for none. */
  readonly displayCol: number;
  readonly visibleCol: number;
}

export interface ExportSelection {
  readonly table: TableInfo;
  readonly columns: readonly ExportColumn[];
  readonly selection: Selection;
}

/** All rows by id. */
const ALL_ROWS: Omit<Selection, "visibleRows" | "where"> = {
  order: { kind: "id", descending: false },
  limit: Number.POSITIVE_INFINITY,
};

/**
 * Returns a user table for export: all visible columns in display order, and the rows that a filter selects, by id.
 * @throws AppError `notFound`, also for a table that is hidden from the caller
 */
export function exportedTable(
  visibility: VisibilityFilter,
  source: ReadConnection,
  { id, filter = null }: { id: string; filter?: Filter | null },
): ExportedTable {
  const { document } = visibility;
  if (!document.schema.tableById.has(id)) throw frozenError(FROZEN.tableNotFound, id);
  const table = visibility.userTable(id);
  const selection = { ...ALL_ROWS, ...compileQuery(document, visibility.readTable(id), filter) };
  return createExportedTable(visibility, source, {
    table,
    columns: visibleColumns(table).map(toExportColumn),
    selection,
  });
}

/** Returns all tables visible to the caller except summaries, in creation order. */
export function exportedTables(visibility: VisibilityFilter, source: ReadConnection): ExportedTable[] {
  return visibility
    .tables()
    .filter(({ summarySourceTable }) => summarySourceTable === 0)
    .map(({ id }) => exportedTable(visibility, source, { id }));
}

export const toExportColumn = (column: ColumnInfo): ExportColumn => ({
  column,
  widgetOptions: column.widgetOptions,
  displayCol: column.displayCol,
  visibleCol: column.visibleCol,
});

function visibleColumns(table: TableInfo): ColumnInfo[] {
  return table.columns
    .filter(({ id }) => !isHiddenColumn(id))
    .toSorted((a, b) => (a.position === b.position ? a.ref - b.ref : a.position - b.position));
}

/** Creates the export of a table's rows and columns. All formats other than records use it. */
export function createExportedTable(
  visibility: VisibilityFilter,
  source: ReadConnection,
  { table, columns, selection }: ExportSelection,
): ExportedTable {
  const { document } = visibility;
  const { exported, stored } = exportColumns(visibility, table, columns);
  return {
    id: table.id,
    title: titleOf(document, table),
    columns: exported,
    settings: document.formatSettings,
    maxRowCount: () => rowCount(document, table, selection),
    batches: () => rowBatches(source, findReadTable(document.schema, table.id), { columns: stored, selection }),
  };
}

/** Returns the columns of an export, and the stored columns that rows must have after the id, in this order. */
export function exportColumns(
  visibility: VisibilityFilter,
  table: TableInfo,
  columns: readonly ExportColumn[],
): { exported: ExportedColumn[]; stored: readonly string[] } {
  const { document } = visibility;
  const cells = new RowCellReaders();
  const displayOf = (chosen: ExportColumn): CellSource | null => {
    // A helper hidden from the caller is not among the table's columns.
    const helper = chosen.displayCol === 0 ? undefined : table.columns.find(({ ref }) => ref === chosen.displayCol);
    const visible = document.schema.columnByRef.get(chosen.visibleCol);
    const isReference = /^(Ref|RefList)$/.test(columnType(chosen.column.type).base);
    if (!helper || !isReference || helper === chosen.column) return null;
    // A display formula may return a value that is not a column's; it is then shown by its own type.
    return {
      type: columnType(visible?.type ?? helper.type),
      options: widgetOptions((visible ?? helper).widgetOptions),
      cell: cells.reader(helper),
    };
  };
  const exported = columns.map((chosen): ExportedColumn => {
    const { column } = chosen;
    return {
      id: column.id,
      label: column.label,
      description: column.description,
      type: withVisibleTarget(visibility, columnType(column.type)),
      options: widgetOptions(chosen.widgetOptions),
      cell: cells.reader(column),
      displayColumn: displayOf(chosen),
    };
  });
  return { exported, stored: cells.columns };
}

/** References to a table that is hidden from the caller omit its name. */
const withVisibleTarget = (visibility: VisibilityFilter, type: ColumnType): FormattedType =>
  type.target === undefined || visibility.canSeeTable(type.target) ? type : { base: type.base, target: "" };

/** The stored columns to read, and the index of each in a row. */
class RowCellReaders {
  readonly columns: string[] = [];

  /** Returns a function that reads a column's cell in a row; it returns null for a column that the file lacks. */
  reader({ id, type, isStored }: ColumnInfo): (row: ExportedRow) => CellValue {
    if (!isStored) return () => null;
    let at = this.columns.indexOf(id);
    if (at < 0) at = this.columns.push(id) - 1;
    const place = at + 1;
    const kind = columnType(type);
    const { isStoredPlain } = kind;
    return (row) => {
      const stored = (row[place] ?? null) as StoredValue;
      return isStoredPlain && typeof stored === "string" ? stored : kind.decodeRaw(stored);
    };
  }
}

function* rowBatches(
  source: ReadConnection,
  table: ReturnType<typeof findReadTable>,
  options: { columns: readonly string[]; selection: Selection },
): Generator<readonly Row[], void> {
  const scan = new RowScan(source, { table, ...options });
  const batchSizer = new BatchSizer();
  for (let rows = scan.take(batchSizer.size); rows.length > 0; rows = scan.take(batchSizer.size)) {
    batchSizer.record(rows.length, rows.reduce(addSize, 0));
    yield rows;
  }
}

function addSize(sum: number, row: Row): number {
  let size = sum;
  for (const cell of row) size += typeof cell === "string" || cell instanceof Uint8Array ? cell.length + 1 : 8;
  return size;
}

function rowCount({ db }: OpenDocument, { id, isStored }: TableInfo, { order }: Selection): number {
  if (order.kind === "list") return order.ids.length;
  return isStored ? Number(db.values(`select count(*) from ${quote(id)}`)[0]?.[0] ?? 0) : 0;
}

/** Returns the name of the table's primary page; its id where it has none. */
function titleOf(document: OpenDocument, { id, primaryViewId }: TableInfo): string {
  const name = readMetadataRecord(document, "_grist_Views", primaryViewId)?.["name"];
  return typeof name === "string" && name !== "" ? name : id;
}

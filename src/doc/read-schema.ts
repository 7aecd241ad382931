import type { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { type CellValue, isList } from "../values/cell.ts";
import { columnType } from "../values/column-type.ts";
import { METADATA_TABLES } from "./metadata-tables.ts";
import { type ColumnInfo, isHiddenColumn, type Schema, type TableInfo } from "./schema.ts";

/**
 * Reads tables and columns from a document's metadata. Missing metadata columns read as their defaults, unknown ones
 * are ignored.
 */
export function readSchema(db: Database): Schema {
  const stored = storedColumns(db);
  const columnsOf = new Map<number, ColumnInfo[]>();
  const tableRows = metadataRows(db, stored, "_grist_Tables");
  const tableIds = new Map(tableRows.map((row) => [integer(row, "id"), text(row, "tableId")]));
  for (const row of metadataRows(db, stored, "_grist_Tables_column")) {
    const tableRef = integer(row, "parentId");
    const tableId = tableIds.get(tableRef);
    const id = text(row, "colId");
    // The id column is SQLite's own; rows without a table are orphans.
    if (!tableId || !id || id === "id") continue;
    const isStored = stored.get(tableId.toLowerCase())?.has(id.toLowerCase()) ?? false;
    const columns = columnsOf.get(tableRef) ?? [];
    columns.push(columnInfo(row, id, { tableRef, isStored }));
    columnsOf.set(tableRef, columns);
  }
  const tables = tableRows
    .filter((row) => text(row, "tableId") !== "")
    .map((row) => tableInfo(row, columnsOf.get(integer(row, "id")) ?? [], stored));
  return {
    tables,
    tableById: new Map(tables.map((table) => [table.id, table])),
    tableByRef: new Map(tables.map((table) => [table.ref, table])),
    columnByRef: new Map(tables.flatMap((table) => table.columns.map((column) => [column.ref, column]))),
    stored,
  };
}

type MetadataRow = Readonly<Record<string, CellValue>>;

/** Returns all rows of a metadata table by id, each with the known columns; empty if the table does not exist. */
function metadataRows(db: Database, stored: Schema["stored"], table: string): MetadataRow[] {
  const known = METADATA_TABLES.find(({ id }) => id === table)?.columns ?? [];
  const found = stored.get(table.toLowerCase());
  if (!found) return [];
  const columns = known
    .filter(({ id }) => found.has(id.toLowerCase()))
    .map(({ id, type }) => ({ id, type: columnType(type) }));
  const names = ["id", ...columns.map(({ id }) => quote(id))];
  return db.values(`select ${names.join(", ")} from ${quote(table)} order by id`).map(([id, ...cells]) => {
    const entries = columns.map((column, at) => [column.id, column.type.decode(cells[at] ?? null)] as const);
    return { ...Object.fromEntries(entries), id: Number(id) };
  });
}

function storedColumns(db: Database): Schema["stored"] {
  const found = new Map<string, Set<string>>();
  const rows = db.values(
    "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c where m.type = 'table'",
  );
  for (const [table, column] of rows) {
    const key = String(table).toLowerCase();
    const columns = found.get(key) ?? new Set();
    columns.add(String(column).toLowerCase());
    found.set(key, columns);
  }
  return found;
}

function tableInfo(row: MetadataRow, columns: ColumnInfo[], stored: Schema["stored"]): TableInfo {
  const id = text(row, "tableId");
  return {
    ref: integer(row, "id"),
    id,
    primaryViewId: integer(row, "primaryViewId"),
    summarySourceTable: integer(row, "summarySourceTable"),
    onDemand: boolean(row, "onDemand"),
    rawViewSectionRef: integer(row, "rawViewSectionRef"),
    recordCardViewSectionRef: integer(row, "recordCardViewSectionRef"),
    columns,
    columnById: new Map(columns.map((column) => [column.id, column])),
    isStored: stored.has(id.toLowerCase()),
  };
}

function columnInfo(row: MetadataRow, id: string, known: { tableRef: number; isStored: boolean }): ColumnInfo {
  return {
    id,
    ref: integer(row, "id"),
    ...known,
    position: typeof row["parentPos"] === "number" ? row["parentPos"] : Number.POSITIVE_INFINITY,
    type: text(row, "type") || "Any",
    label: text(row, "label"),
    isFormula: boolean(row, "isFormula"),
    formula: text(row, "formula"),
    widgetOptions: text(row, "widgetOptions"),
    description: text(row, "description"),
    untieColIdFromLabel: boolean(row, "untieColIdFromLabel"),
    summarySourceCol: integer(row, "summarySourceCol"),
    displayCol: integer(row, "displayCol"),
    visibleCol: integer(row, "visibleCol"),
    reverseCol: integer(row, "reverseCol"),
    rules: refs(row, "rules"),
    recalcWhen: integer(row, "recalcWhen"),
    recalcDeps: refs(row, "recalcDeps"),
    isHidden: isHiddenColumn(id),
  };
}

function text(row: MetadataRow, column: string): string {
  const value = row[column];
  return typeof value === "string" ? value : "";
}

function integer(row: MetadataRow, column: string): number {
  const value = row[column];
  return typeof value === "number" ? value : 0;
}

const boolean = (row: MetadataRow, column: string): boolean => row[column] === true;

function refs(row: MetadataRow, column: string): number[] | null {
  const value = row[column];
  return isList(value) ? value.slice(1).filter((item) => typeof item === "number") : null;
}

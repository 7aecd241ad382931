/** Removes tables and columns, their metadata and stored data, from a file during its upgrade. */
import { quote } from "../../sqlite/quote.ts";
import { integer, type MetadataRow, type MetadataRows, text } from "./metadata-rows.ts";
import { hasColumn, hasTable } from "./stored-tables.ts";

/** Removes columns of one table with their fields in views. */
export function dropColumns(metadata: MetadataRows, tableId: string, columns: readonly MetadataRow[]): void {
  const gone = new Set(columns.map((column) => column.id));
  deleteRowsWhere(metadata, "_grist_Views_section_field", (field) => gone.has(integer(field["colRef"])));
  metadata.remove("_grist_Tables_column", gone);
  const parents = new Set(columns.map((column) => column["parentId"]));
  const siblings = metadata.all("_grist_Tables_column").filter((column) => parents.has(column["parentId"] ?? null));
  const kept = new Set(siblings.map((column) => text(column["colId"]).toLowerCase()));
  for (const column of columns) {
    const id = text(column["colId"]);
    // Broken files have two columns with the same id; the stored column then belongs to the other one.
    if (kept.has(id.toLowerCase()) || !hasColumn(metadata.db, tableId, id)) continue;
    metadata.db.clearStatements();
    metadata.db.exec(`alter table ${quote(tableId)} drop column ${quote(id)}`);
  }
}

/** Removes a table with its columns and the sections that show it. */
export function dropTable(metadata: MetadataRows, table: MetadataRow): void {
  const sections = new Set(
    metadata
      .all("_grist_Views_section")
      .filter((section) => section["tableRef"] === table.id)
      .map((section) => section.id),
  );
  deleteRowsWhere(metadata, "_grist_Views_section_field", (field) => sections.has(integer(field["parentId"])));
  metadata.remove("_grist_Views_section", sections);
  deleteRowsWhere(metadata, "_grist_Tables_column", (column) => column["parentId"] === table.id);
  metadata.remove("_grist_Tables", [table.id]);
  const id = text(table["tableId"]);
  metadata.db.clearStatements();
  if (hasTable(metadata.db, id)) metadata.db.exec(`drop table ${quote(id)}`);
}

/** Removes the rows of a metadata table for which `isGone` is true; returns whether there were any. */
export function deleteRowsWhere(metadata: MetadataRows, table: string, isGone: (row: MetadataRow) => boolean): boolean {
  const gone = metadata.all(table).filter(isGone);
  metadata.remove(
    table,
    gone.map((row) => row.id),
  );
  return gone.length > 0;
}

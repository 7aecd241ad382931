import { quote } from "../sqlite/quote.ts";
import { columnType } from "../values/column-type.ts";

/** What of a column SQL needs to know. */
export interface StoredColumn {
  readonly id: string;
  /** As in the metadata. */
  readonly type: string;
}

/** `"Amount" NUMERIC DEFAULT 0`: the column as the file has it, by its type. */
export function columnDefinition({ id, type }: StoredColumn): string {
  const { sqlType, sqlDefault } = columnType(type);
  return `${quote(id)} ${sqlType} DEFAULT ${sqlDefault}`;
}

/** Makes a table of a document, with the columns in the order given after `id`. */
export function createTableSql(tableId: string, columns: readonly StoredColumn[]): string {
  const definitions = ["id INTEGER PRIMARY KEY", ...columns.map(columnDefinition)];
  return `CREATE TABLE ${quote(tableId)} (${definitions.join(", ")})`;
}

/** Adds a column at the end of a table; rows that are there get the type's default. */
export function addColumnSql(tableId: string, column: StoredColumn): string {
  return `ALTER TABLE ${quote(tableId)} ADD COLUMN ${columnDefinition(column)}`;
}

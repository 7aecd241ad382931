import { quote } from "../sqlite/quote.ts";
import { columnType } from "../values/column-type.ts";

/** The properties of a column that its SQL definition depends on. */
export interface StoredColumn {
  readonly id: string;
  /** As in the metadata. */
  readonly type: string;
}

/** Returns the SQL definition of a column, such as `"Amount" NUMERIC DEFAULT 0`. */
export function columnDefinition({ id, type }: StoredColumn): string {
  const { sqlType, sqlDefault } = columnType(type);
  return `${quote(id)} ${sqlType} DEFAULT ${sqlDefault}`;
}

/** Returns the SQL that creates a user table, with the columns in the given order after `id`. */
export function createTableSql(tableId: string, columns: readonly StoredColumn[]): string {
  const definitions = ["id INTEGER PRIMARY KEY", ...columns.map(columnDefinition)];
  return `CREATE TABLE ${quote(tableId)} (${definitions.join(", ")})`;
}

/** Returns the SQL that adds a column at the end of a table; existing rows get the type's default. */
export function addColumnSql(tableId: string, column: StoredColumn): string {
  return `ALTER TABLE ${quote(tableId)} ADD COLUMN ${columnDefinition(column)}`;
}

import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";

/** A column as SQLite has it, whatever the metadata says. */
export interface SqlColumn {
  readonly id: string;
  /** As declared, upper case; empty when nothing is. */
  readonly type: string;
  /** SQL text of the default; null when there is none. */
  readonly default: string | null;
}

/** The names of all tables of the file but SQLite's own. */
export function storedTables(db: Database): string[] {
  return db
    .values(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' order by rowid",
    )
    .map(([name]) => String(name));
}

export const hasTable = (db: Database, table: string): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and lower(name) = lower(?)", table) !== null;

/** True for tables that are no user's: of the metadata, of the format, of SQLite, and those that we add. */
export const isSystemTable = (table: string): boolean => /^(_grist|_quern_|sqlite_)/i.test(table);

/** The SQL types that columns of documents have or had. */
export const PLAIN_TYPES: ReadonlySet<string> = new Set([
  "BLOB",
  "TEXT",
  "NUMERIC",
  "INTEGER",
  "BOOLEAN",
  "DATE",
  "DATETIME",
  "REAL",
]);

/** The columns of a table after `id`; none where there is no such table. Computed columns are among them. */
export function storedColumns(db: Database, table: string): SqlColumn[] {
  return db
    .values("select name, type, dflt_value from pragma_table_xinfo(?)", table)
    .map(([id, type, text]) => ({
      id: String(id),
      type: String(type).toUpperCase(),
      default: typeof text === "string" ? text : null,
    }))
    .filter((column) => column.id.toLowerCase() !== "id");
}

export const hasColumn = (db: Database, table: string, column: string): boolean =>
  db.get("select 1 from pragma_table_info(?) where lower(name) = lower(?)", table, column) !== null;

/** True for defaults that are a plain value: number, text, bytes, null, and words that older files have. */
export const isLiteralDefault = (text: string | null): boolean =>
  text === null || literal(text) !== undefined || isNullLiteral(text);

/** A default in the SQL of today. What is no plain value is dropped: a file from elsewhere may hold any expression. */
export const plainDefault = (text: string | null): string => (text === null ? undefined : literal(text)) ?? "NULL";

/** A type is written into SQL as it stands, so it must be one of those that are known. */
const plainType = (type: string): string => (PLAIN_TYPES.has(type) ? type : "BLOB");

/** Old files say `undefined` where they mean NULL. */
const isNullLiteral = (text: string): boolean => /^(null|undefined)$/i.test(text);

function literal(text: string): string | undefined {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) || /^x'[\da-f]*'$/i.test(text)) return text;
  if (/^'([^']|'')*'$/.test(text)) return text;
  // Old files have texts in double quotes, which SQLite takes for a text only where it cannot be a name.
  const quoted = /^"((?:[^"]|"")*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return `'${quoted.replaceAll('""', '"').replaceAll("'", "''")}'`;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true" ? "1" : "0";
  return undefined;
}

/**
 * Makes a table anew with the columns given (ids of columns it has, with their new type and default), keeping every
 * value in its storage class as far as the new types let it. `fill` names columns whose nulls become the default.
 */
export function rebuildTable(
  db: Database,
  table: string,
  columns: readonly SqlColumn[],
  fill: ReadonlySet<string> = new Set(),
): void {
  const rebuiltTable = "_quern_rebuild";
  const definitions = columns.map(
    (column) => `${quote(column.id)} ${plainType(column.type)} DEFAULT ${plainDefault(column.default)}`,
  );
  db.exec(`drop table if exists ${rebuiltTable}`);
  db.exec(`create table ${rebuiltTable} (${["id INTEGER PRIMARY KEY", ...definitions].join(", ")})`);
  const into = ["id", ...columns.map((column) => quote(column.id))].join(", ");
  const from = columns.map((column) =>
    fill.has(column.id) ? `coalesce(${quote(column.id)}, ${plainDefault(column.default)})` : quote(column.id),
  );
  db.exec(`insert into ${rebuiltTable} (${into}) select ${["id", ...from].join(", ")} from ${quote(table)}`);
  db.exec(`drop table ${quote(table)}`);
  db.exec(`alter table ${rebuiltTable} rename to ${quote(table)}`);
  db.clearStatements();
}

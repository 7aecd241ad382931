import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";

/** A column as SQLite has it, whatever the metadata declare. */
export interface SqlColumn {
  readonly id: string;
  /** The declared type in upper case; may be empty. */
  readonly type: string;
  /** The default as SQL text; null when there is none. */
  readonly default: string | null;
}

/** Returns the names of all tables of the file except SQLite's own. */
export function storedTables(db: Database): string[] {
  return db
    .values(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite!_%' escape '!' order by rowid",
    )
    .map(([name]) => String(name));
}

export const hasTable = (db: Database, table: string): boolean =>
  db.get("select 1 from sqlite_master where type = 'table' and lower(name) = lower(?)", table) !== null;

/** True for tables other than user tables: of the metadata, the format, SQLite, and the server. */
export const isSystemTable = (table: string): boolean => /^(_grist|_quern_|sqlite_)/i.test(table);

/** The SQL types that document columns have or had. */
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

/** Returns the columns of a table after `id`, including generated ones; empty if the table does not exist. */
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

/** True for defaults that are literals: numbers, strings, blobs, null, and keywords of older files. */
export const isLiteralDefault = (text: string | null): boolean =>
  text === null || literal(text) !== undefined || isNullLiteral(text);

/**
 * Returns a default as valid SQL. Anything but a literal is dropped, since an untrusted file may contain any
 * expression.
 */
export const plainDefault = (text: string | null): string => (text === null ? undefined : literal(text)) ?? "NULL";

/** A type is inserted into SQL unquoted, so it must be a known one. */
const plainType = (type: string): string => (PLAIN_TYPES.has(type) ? type : "BLOB");

/** Old files have `undefined` in place of NULL. */
const isNullLiteral = (text: string): boolean => /^(null|undefined)$/i.test(text);

function literal(text: string): string | undefined {
  if (/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) || /^x'[\da-f]*'$/i.test(text)) return text;
  if (/^'([^']|'')*'$/.test(text)) return text;
  // Old files have strings in double quotes, which SQLite only accepts as strings where no such name exists.
  const quoted = /^"((?:[^"]|"")*)"$/.exec(text)?.[1];
  if (quoted !== undefined) return `'${quoted.replaceAll('""', '"').replaceAll("'", "''")}'`;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === "true" ? "1" : "0";
  return undefined;
}

/**
 * Rebuilds a table with the given columns (ids of existing columns with their new type and default), keeping the
 * storage class of values as far as the new types allow. `fill` names columns whose nulls become the default.
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

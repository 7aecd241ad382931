import { closeSync, openSync, readSync } from "node:fs";
import { invalidFile, notFound } from "../errors.ts";
import type { Database } from "../sqlite/database.ts";
import { quote } from "../sqlite/quote.ts";
import { QUERIES_TABLE } from "./queries/saved-queries.ts";
import { MetadataRows, text } from "./migrations/metadata-rows.ts";
import {
  hasTable,
  isLiteralDefault,
  isSystemTable,
  PLAIN_TYPES,
  rebuildTable,
  storedColumns,
  storedTables,
} from "./migrations/stored-tables.ts";

/** @throws AppError `invalid` when the first bytes are not those of an SQLite database; `notFound` */
export function requireSqliteFile(path: string): void {
  if (readHeader(path).toString("latin1", 0, 16) !== "SQLite format 3\0") {
    throw invalidFile("The file is not an SQLite database");
  }
}

/** True when the file's header declares WAL mode. */
export const isWalFile = (path: string): boolean => readHeader(path)[18] === 2;

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(20);
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    throw notFound("There is no such file");
  }
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  return header;
}

/**
 * Sanitizes an untrusted file before any other access to it. Documents have plain tables only:
 * - Virtual tables are rejected, since even reading their schema runs code on data from the file.
 * - Triggers, views and indexes are dropped unused, so that no trigger ever runs. Nothing is lost: programs that write
 *   documents create none except two indexes, which are recreated.
 * - Tables with more than plain columns (constraints, generated columns, defaults that are expressions) are rebuilt
 *   without these, since each is evaluated when rows are written.
 *
 * @throws AppError `invalid` when the file is damaged, not a document, or cannot be sanitized
 */
export function sanitizeDatabase(db: Database): void {
  // SQLite's recommendation for untrusted files: detects corrupt pages early.
  db.exec("pragma cell_size_check = on; pragma mmap_size = 0");
  if (hasVirtualTables(db)) throw invalidFile("The file has virtual tables, which documents do not support");
  if (findIntegrityProblem(db) !== undefined) {
    throw invalidFile("The file is damaged: its contents are inconsistent");
  }
  for (const table of ["_grist_DocInfo", "_grist_Tables", "_grist_Tables_column"]) {
    if (!hasTable(db, table)) throw invalidFile("The file is not a document: it has no document metadata");
  }
  db.transaction(() => {
    for (const kind of ["trigger", "view", "index"]) dropAll(db, kind);
    for (const table of storedTables(db)) if (isDropped(table)) db.exec(`drop table ${quote(table)}`);
    for (const table of storedTables(db)) if (isSystemTable(table)) rebuildIfNotPlain(db, table);
    for (const row of new MetadataRows(db).all("_grist_Tables")) {
      const id = text(row["tableId"]);
      if (isSystemTable(id)) throw invalidFile(`The file's metadata contain a table with the reserved name ${id}`);
      if (hasTable(db, id)) rebuildIfNotPlain(db, id);
    }
  });
  db.clearStatements();
}

/** Internal tables of another server, except the saved queries, which belong to the content. */
export const isDropped = (table: string): boolean => /^_quern_/i.test(table) && table.toLowerCase() !== QUERIES_TABLE;

/** Call before any other read of tables. */
export function hasVirtualTables(db: Database): boolean {
  const found = db.get(
    "select 1 from sqlite_master where type = 'table' and (coalesce(rootpage, 0) = 0 or sql like 'create virtual%')",
  );
  return found !== null;
}

/** Returns the first problem that SQLite's integrity check reports; undefined when there is none. */
export function findIntegrityProblem(db: Database): string | undefined {
  const [first] = db.values("pragma integrity_check(1)");
  return first?.[0] === "ok" ? undefined : String(first?.[0]);
}

/** Indexes of a constraint have no SQL and are dropped with their table. */
function dropAll(db: Database, kind: string): void {
  const names = db.values("select name from sqlite_master where type = ? and sql is not null", kind);
  for (const [name] of names) db.exec(`drop ${kind} ${quote(String(name))}`);
}

/** SQL keywords outside of names and strings that plain tables do not have. */
const FORBIDDEN_KEYWORDS =
  /\b(check|generated|always|as|unique|references|constraint|collate|not|autoincrement|without|strict)\b/i;
/** Keywords that internal tables of the format may have in addition. */
const ALLOWED_IN_SYSTEM_TABLES = /\b(check|unique|not)\b/gi;

const NAMES_TEXTS_COMMENTS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g;

function rebuildIfNotPlain(db: Database, table: string): void {
  const isOfFormat = /^_gristsys_/i.test(table);
  const stored = db.get<{ sql: string }>(
    "select sql from sqlite_master where type = 'table' and lower(name) = lower(?)",
    table,
  );
  const bare = (stored?.sql ?? "").replace(NAMES_TEXTS_COMMENTS, " ");
  const isSpecial = FORBIDDEN_KEYWORDS.test(isOfFormat ? bare.replace(ALLOWED_IN_SYSTEM_TABLES, " ") : bare);
  if (!isSpecial && hasPlainColumns(db, table)) return;
  if (isOfFormat) throw invalidFile(`The file is not a document: its table ${table} has an unexpected definition`);
  rebuildTable(db, table, storedColumns(db, table));
}

function hasPlainColumns(db: Database, table: string): boolean {
  const columns = db.all<{ name: string; type: string; dflt_value: string | null; pk: number; hidden: number }>(
    "select name, type, dflt_value, pk, hidden from pragma_table_xinfo(?)",
    table,
  );
  // Without an id, rebuilding the table fails and the file is rejected.
  const hasId = columns.some(({ name }) => name.toLowerCase() === "id");
  return (
    hasId &&
    columns.every(({ name, type, dflt_value, pk, hidden }) => {
      if (name.toLowerCase() === "id") return pk === 1 && type.toUpperCase() === "INTEGER" && hidden === 0;
      return pk === 0 && hidden === 0 && PLAIN_TYPES.has(type.toUpperCase()) && isLiteralDefault(dflt_value);
    })
  );
}

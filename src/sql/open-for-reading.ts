import { constants, DatabaseSync, type StatementSync } from "node:sqlite";
import { randomHex } from "../lib/ids.ts";
import { isAllowed, INTERNAL_TABLE, type ReadableTables } from "./authorizer.ts";
import type { Argument } from "./query-job.ts";

/** Maximum size of a string or blob in a query, in bytes. */
const MAX_VALUE_BYTES = 64 * 1024 ** 2;
/** Timeout for the server's lock, which it holds only while it opens or closes the document. */
const LOCK_TIMEOUT_MS = 250;

/**
 * Opens a document for reading. The settings apply to every statement on the connection: no writes, no other files,
 * and an untrusted schema.
 */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    readOnly: true,
    timeout: LOCK_TIMEOUT_MS,
    allowExtension: false,
    defensive: true,
    // As in comparable servers: an unknown name in double quotes is a string.
    enableDoubleQuotedStringLiterals: true,
    limits: { attach: 0, length: MAX_VALUE_BYTES },
  });
  db.exec(
    `pragma query_only = on; pragma trusted_schema = off; pragma cell_size_check = on;
     pragma mmap_size = 0`,
  );
  return db;
}

/** The tables of a document's file, as needed for access checks. */
export interface DocumentTables extends Omit<ReadableTables, "schemaReader"> {
  /** True if the file contains internal tables. */
  readonly hasInternalTables: boolean;
}

/** Reads the tables of a document over an open connection. */
export function readDocumentTables(db: DatabaseSync): DocumentTables {
  const rows = db.prepare("select name, rootpage, type from sqlite_schema where type in ('table', 'view')").all();
  const modules = db.prepare("select name from pragma_module_list").all();
  const tables = new Set<string>();
  const blockedNames = new Set(modules.map(({ name }) => String(name).toLowerCase()));
  let hasInternalTables = false;
  for (const { name, rootpage, type } of rows) {
    const table = String(name).toLowerCase();
    const isInternal = INTERNAL_TABLE.test(table);
    hasInternalTables ||= isInternal;
    // Virtual tables have no root page and run code that untrusted files could exploit.
    const isVirtual = type === "table" && !Number(rootpage);
    (isInternal || isVirtual ? blockedNames : tables).add(table);
  }
  return { tables, blockedNames, hasInternalTables };
}

/** What a statement may read. */
export interface Restriction {
  readonly readable: ReadableTables;
  /** Text to put before the statement, which hides internal tables in the schema table. */
  readonly prelude: string;
}

/** Restricts a statement to reading the tables of its document. */
export function restrictionOf({ tables, blockedNames, hasInternalTables }: DocumentTables): Restriction {
  // The random name cannot be guessed, so a statement cannot define a common table expression of this name.
  const schemaReader = hasInternalTables ? `tables_${randomHex(12)}` : undefined;
  const prelude = schemaReader === undefined ? "" : withoutInternalTables(schemaReader);
  return { readable: { tables, blockedNames, schemaReader }, prelude };
}

/**
 * Restricts the statements of a connection.
 * @param restriction returns what applies to the statement that is being prepared or run; null for those of the server
 */
export function authorize(db: DatabaseSync, restriction: () => Restriction | null): void {
  db.setAuthorizer((action, first, second, schema, within) => {
    const current = restriction();
    const isPermitted = !current || isAllowed({ action, first, second, schema, within }, current.readable);
    return isPermitted ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
}

/** Replaces SQLite's schema table with one without internal tables. */
const withoutInternalTables = (readerName: string): string =>
  `with ${readerName} as (select type, name, tbl_name, rootpage, sql from main.sqlite_schema
     where tbl_name not like '%\\_quern\\_%' escape '\\' and name not like '%\\_quern\\_%' escape '\\'),
   sqlite_master as (select * from ${readerName}), sqlite_schema as (select * from ${readerName}) `;

/** Returns true while the server has the document open; a closed document may change its journal mode at any moment. */
export function isOpenElsewhere(db: DatabaseSync): boolean {
  return db.prepare("pragma journal_mode").get()?.["journal_mode"] === "wal";
}

export interface Binding {
  readonly parameterCount: number;
  readonly named: ReadonlyMap<string, number>;
}

type Bound = Parameters<StatementSync["iterate"]>;

/** Returns the arguments of `iterate` for positional values; missing parameters are NULL. */
export function bindings({ parameterCount, named }: Binding, args: readonly Argument[]): Bound {
  const byName: Record<string, bigint | number | string | null> = {};
  for (const [name, number] of named) byName[name] = sqlValue(args[number - 1] ?? null);
  const namedPositions = new Set(named.values());
  const rest = args
    .slice(0, parameterCount)
    .flatMap((value, i) => (namedPositions.has(i + 1) ? [] : [sqlValue(value)]));
  return (named.size === 0 ? rest : [byName, ...rest]) as Bound;
}

function sqlValue(value: Argument): bigint | number | string | null {
  if (typeof value === "boolean") return value ? 1n : 0n;
  return typeof value === "number" && (value | 0) === value ? BigInt(value) : value;
}

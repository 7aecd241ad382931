import { constants, DatabaseSync, type StatementSync } from "node:sqlite";
import { randomHex } from "../lib/ids.ts";
import { isAllowed, INTERNAL_TABLE, type ReadableTables } from "./authorizer.ts";
import type { Argument } from "./query-job.ts";

/** Largest text or blob that a query may make or read, in bytes. */
const MAX_VALUE_BYTES = 64 * 1024 ** 2;
/** How long to wait for a lock of the server's, which holds it only while it opens or closes the document. */
const LOCK_TIMEOUT_MS = 250;

/**
 * Opens a document for reading. What is set here holds whatever runs on the connection: nothing is written, no other
 * file is opened, sorting happens in memory, and what the file says of itself is not trusted.
 */
export function openForReading(path: string): DatabaseSync {
  const db = new DatabaseSync(path, {
    readOnly: true,
    timeout: LOCK_TIMEOUT_MS,
    allowExtension: false,
    defensive: true,
    // As in other servers of this kind: what is in double quotes and names nothing is a text.
    enableDoubleQuotedStringLiterals: true,
    limits: { attach: 0, length: MAX_VALUE_BYTES },
  });
  db.exec(
    `pragma query_only = on; pragma trusted_schema = off; pragma temp_store = memory; pragma cell_size_check = on;
     pragma mmap_size = 0`,
  );
  return db;
}

/** What there is in a document's file, as far as it matters for what may be read of it. */
export interface DocumentTables extends Omit<ReadableTables, "schemaReader"> {
  /** True when there are tables of our own. */
  readonly hasInternalTables: boolean;
}

/** Looks through the tables of a document; the connection must be open to it. */
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
    // Virtual tables have no page of their own, and run code that foreign files could make use of.
    const isVirtual = type === "table" && !Number(rootpage);
    (isInternal || isVirtual ? blockedNames : tables).add(table);
  }
  return { tables, blockedNames, hasInternalTables };
}

/**
 * Closes a connection to everything but reading the tables of its document.
 * @returns what to put before a statement, so that it does not find tables of our own in the list of tables either
 */
export function restrict(
  db: DatabaseSync,
  { tables, blockedNames, hasInternalTables }: DocumentTables = readDocumentTables(db),
): string {
  // Nobody can guess the name, so nobody can pass for the reader by giving something else that name.
  const schemaReader = hasInternalTables ? `tables_${randomHex(12)}` : undefined;
  const readable = { tables, blockedNames, schemaReader };
  db.setAuthorizer((action, first, second, schema, within) =>
    isAllowed({ action, first, second, schema, within }, readable) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  );
  return schemaReader === undefined ? "" : withoutInternalTables(schemaReader);
}

/** Puts a list without our own tables in the place of SQLite's. */
const withoutInternalTables = (readerName: string): string =>
  `with ${readerName} as (select type, name, tbl_name, rootpage, sql from main.sqlite_schema
     where tbl_name not like '%\\_quern\\_%' escape '\\' and name not like '%\\_quern\\_%' escape '\\'),
   sqlite_master as (select * from ${readerName}), sqlite_schema as (select * from ${readerName}) `;

/** True while the server has the document open; what is closed it may switch to another form at any moment. */
export function isOpenElsewhere(db: DatabaseSync): boolean {
  return db.prepare("pragma journal_mode").get()?.["journal_mode"] === "wal";
}

export interface Binding {
  readonly parameterCount: number;
  readonly named: ReadonlyMap<string, number>;
}

type Bound = Parameters<StatementSync["iterate"]>;

/** The arguments of `iterate` for values by position; parameters beyond them are NULL. */
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

import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  authorize,
  type Binding,
  type DocumentTables,
  isOpenElsewhere,
  openForReading,
  readDocumentTables,
  type Restriction,
  restrictionOf,
} from "./open-for-reading.ts";
import type { QueryJob } from "./query-job.ts";
import { invalidStatement } from "./refusals.ts";
import { type ResultColumn, resultColumns } from "./render-rows.ts";
import { parseStatement } from "./statement.ts";

/**
 * Prepared statements are freed when they are garbage-collected, which cannot be triggered, or with their connection:
 * these limits bound the number and the text size of unfreed statements.
 */
const MAX_STATEMENTS = 256;
const MAX_CHARACTERS = 65_536;

/** A statement that may run again while the document's tables are the same. */
export interface PreparedQuery extends Binding {
  readonly statement: StatementSync;
  readonly columns: readonly ResultColumn[];
  readonly restriction: Restriction;
}

/** The tables of a file, and the statements that were prepared for them. */
interface Contents {
  /** SQLite's counter of schema changes. */
  readonly version: unknown;
  readonly tables: DocumentTables;
  /** By text. */
  readonly queries: Map<string, PreparedQuery>;
}

/** The statements of the server, which are authorized to do what a query may not. */
interface InternalStatements {
  readonly begin: StatementSync;
  readonly rollback: StatementSync;
  readonly schemaVersion: StatementSync;
}

interface CachedConnection {
  readonly db: DatabaseSync;
  readonly path: string;
  /** Identity of the file at the path. */
  readonly fileId: string;
  readonly internal: InternalStatements;
  /** Number and text size of the statements prepared so far. */
  prepared: number;
  characters: number;
  contents?: Contents;
  /**
   * What the statement may do that is being prepared or run; null for those of the server. SQLite prepares statements
   * again when an authorizer is set, so that there is only one for each connection.
   */
  restriction: Restriction | null;
}

/**
 * Keeps the document of the last query open for the next one, and its statements prepared: both take longer than a small
 * query. Each query has its own transaction, so that it sees everything committed so far.
 */
export class CachedDocument {
  #connection: CachedConnection | undefined;

  /**
   * Opens the document of a query, or reuses the connection if the file is still the same, and begins its transaction.
   * @returns false when the server does not have the document open
   * @throws SQLite errors
   */
  open({ path, isUnchanging = false }: Pick<QueryJob, "path" | "isUnchanging">): boolean {
    const fileId = fileIdOf(path);
    const connection = fileId === undefined ? undefined : this.#connect(path, fileId, isUnchanging);
    if (!connection) return false;
    const { db, internal } = connection;
    internal.begin.run();
    const version = internal.schemaVersion.get()?.["schema_version"];
    if (connection.contents?.version !== version)
      connection.contents = { version, tables: readDocumentTables(db), queries: new Map() };
    return true;
  }

  /** Returns true if a statement of the opened document is prepared. */
  isPrepared({ statement }: Pick<QueryJob, "statement">): boolean {
    return this.#connection?.contents?.queries.has(statement) ?? false;
  }

  /**
   * Prepares a statement of the opened document, or reuses one with the same text. From now on, the connection is
   * restricted to what the query may read.
   * @throws AppError `invalid`, SQLite errors
   */
  prepare({ statement: text, args }: Pick<QueryJob, "statement" | "args">): PreparedQuery {
    const connection = this.#connection;
    const contents = connection?.contents;
    if (!connection || !contents) throw new Error("no document is open");
    const cached = contents.queries.get(text);
    // A missing argument would keep its former value.
    if (cached?.parameterCount === args.length) {
      connection.restriction = cached.restriction;
      return cached;
    }
    const restriction = restrictionOf(contents.tables);
    const { wrapped, ...binding } = parseStatement(text, restriction.prelude);
    if (args.length > binding.parameterCount)
      throw invalidStatement(`The statement takes ${binding.parameterCount} args, but ${args.length} were given`);
    connection.prepared++;
    connection.characters += text.length;
    connection.restriction = restriction;
    const statement = connection.db.prepare(wrapped);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const query = { ...binding, statement, restriction, columns: resultColumns(statement) };
    if (binding.parameterCount === args.length) contents.queries.set(text, query);
    return query;
  }

  /** Ends a successful query, and its transaction. */
  endQuery(): void {
    if (!this.#connection) return;
    this.#connection.restriction = null;
    this.#connection.internal.rollback.run();
  }

  /** Closes the document. Idempotent. */
  close(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }

  #connect(path: string, fileId: string, isUnchanging: boolean): CachedConnection | undefined {
    const cached = this.#connection;
    const isSame = cached?.path === path && cached.fileId === fileId;
    // While this connection is open, no other process can switch the file out of WAL mode.
    if (isSame && cached.prepared < MAX_STATEMENTS && cached.characters < MAX_CHARACTERS) return cached;
    this.close();
    const db = openForReading(path);
    if (!isUnchanging && !isOpenElsewhere(db)) {
      db.close();
      return undefined;
    }
    const internal = {
      begin: db.prepare("begin"),
      rollback: db.prepare("rollback"),
      schemaVersion: db.prepare("pragma schema_version"),
    };
    const connection: CachedConnection = { db, path, fileId, internal, prepared: 0, characters: 0, restriction: null };
    authorize(db, () => connection.restriction);
    this.#connection = connection;
    return connection;
  }
}

/** Returns the identity of the file at a path; undefined when it does not exist. */
function fileIdOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}.${stats.ino}`;
}

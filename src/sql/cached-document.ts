import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import {
  type DocumentTables,
  readDocumentTables,
  isOpenElsewhere,
  openForReading,
  restrict,
} from "./open-for-reading.ts";
import type { QueryJob } from "./query-job.ts";

/**
 * Prepared statements are freed when they are garbage-collected, which cannot be triggered, or with their connection:
 * these limits bound the number and the text size of unfreed statements.
 */
const MAX_USES = 256;
const MAX_CHARACTERS = 65_536;

interface CachedConnection {
  readonly db: DatabaseSync;
  readonly path: string;
  /** Identity of the file at the path. */
  readonly fileId: string;
  uses: number;
  characters: number;
  /** The file's tables, with the schema version they belong to. */
  contents?: { readonly version: unknown; readonly of: DocumentTables };
}

/** A document opened for one query, restricted to what the query may read. */
export interface QueryConnection {
  readonly db: DatabaseSync;
  /** Text to put before the statement. */
  readonly prelude: string;
}

/**
 * Keeps the document of the last query open for the next one: opening takes longer than a small query. Each query has
 * its own transaction, so that it sees everything committed so far, and its own authorizer.
 */
export class CachedDocument {
  #connection: CachedConnection | undefined;

  /**
   * Opens the document of a query, or reuses the connection if the file is still the same.
   * @returns undefined when the server does not have the document open
   * @throws SQLite errors
   */
  open({ path, statement }: Pick<QueryJob, "path" | "statement">): QueryConnection | undefined {
    const fileId = fileIdOf(path);
    if (fileId === undefined) return undefined;
    const connection = this.#connect(path, fileId);
    if (!connection) return undefined;
    connection.uses++;
    connection.characters += statement.length;
    const { db } = connection;
    db.exec("begin");
    const version = db.prepare("pragma schema_version").get()?.["schema_version"];
    if (connection.contents?.version !== version) connection.contents = { version, of: readDocumentTables(db) };
    return { db, prelude: restrict(db, connection.contents?.of) };
  }

  /** Ends a successful query: removes its authorizer and its transaction. */
  endQuery(): void {
    this.#connection?.db.setAuthorizer(null);
    this.#connection?.db.exec("rollback");
  }

  /** Closes the document. Idempotent. */
  close(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }

  #connect(path: string, fileId: string): CachedConnection | undefined {
    const cached = this.#connection;
    const isSame = cached?.path === path && cached.fileId === fileId;
    // While this connection is open, no other process can switch the file out of WAL mode.
    if (isSame && cached.uses < MAX_USES && cached.characters < MAX_CHARACTERS) return cached;
    this.close();
    const db = openForReading(path);
    this.#connection = { db, path, fileId, uses: 0, characters: 0 };
    if (isOpenElsewhere(db)) return this.#connection;
    this.close();
    return undefined;
  }
}

/** Returns the identity of the file at a path; undefined when it does not exist. */
function fileIdOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}.${stats.ino}`;
}

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
 * Statements go when they are collected, which nobody can ask for, or with their connection: so many, and so much of
 * their text, at most waits for that.
 */
const MAX_USES = 256;
const MAX_CHARACTERS = 65_536;

interface CachedConnection {
  readonly db: DatabaseSync;
  readonly path: string;
  /** Which file it is that has the name. */
  readonly fileId: string;
  uses: number;
  characters: number;
  /** What is in the file, and since which change of it. */
  contents?: { readonly version: unknown; readonly of: DocumentTables };
}

/** A document open for one query, and for nothing else than it may read. */
export interface QueryConnection {
  readonly db: DatabaseSync;
  /** What to put before the statement. */
  readonly prelude: string;
}

/**
 * The document of the last query, kept open for the next: opening it takes longer than a small query does. Each query
 * has a transaction of its own, so that it sees what is committed by then, and rules made for it alone.
 */
export class CachedDocument {
  #connection: CachedConnection | undefined;

  /**
   * Opens the document of a query, or goes on with it when it is still the same file.
   * @returns undefined when the server does not have it open just now
   * @throws whatever SQLite throws
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

  /** Ends a query that went well: what it was allowed, and what it saw. */
  endQuery(): void {
    this.#connection?.db.setAuthorizer(null);
    this.#connection?.db.exec("rollback");
  }

  /** Lets go of the document; fine when there is none. */
  close(): void {
    this.#connection?.db.close();
    this.#connection = undefined;
  }

  #connect(path: string, fileId: string): CachedConnection | undefined {
    const cached = this.#connection;
    const isSame = cached?.path === path && cached.fileId === fileId;
    // As long as it is open here, nobody can take it out of the form in which it is read beside its writer.
    if (isSame && cached.uses < MAX_USES && cached.characters < MAX_CHARACTERS) return cached;
    this.close();
    const db = openForReading(path);
    this.#connection = { db, path, fileId, uses: 0, characters: 0 };
    if (isOpenElsewhere(db)) return this.#connection;
    this.close();
    return undefined;
  }
}

/** Which file has a name; undefined when none has. */
function fileIdOf(path: string): string | undefined {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats && `${stats.dev}.${stats.ino}`;
}

import { statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { type Contents, contentsOf, isOpenElsewhere, openForReading, restrict } from "./document.ts";
import type { Job } from "./job.ts";

/**
 * Statements go when they are collected, which nobody can ask for, or with their connection: so many, and so much of
 * their text, at most waits for that.
 */
const MOST_USES = 256;
const MOST_CHARACTERS = 65_536;

interface Kept {
  readonly db: DatabaseSync;
  readonly path: string;
  /** Which file it is that has the name. */
  readonly file: string;
  uses: number;
  characters: number;
  /** What is in the file, and since which change of it. */
  contents?: { readonly version: unknown; readonly of: Contents };
}

/** A document open for one query, and for nothing else than it may read. */
export interface Opened {
  readonly db: DatabaseSync;
  /** What to put before the statement. */
  readonly prelude: string;
}

/**
 * The document of the last query, kept open for the next: opening it takes longer than a small query does. Each query
 * has a transaction of its own, so that it sees what is committed by then, and rules made for it alone.
 */
export class KeptDocument {
  #kept: Kept | undefined;

  /**
   * Opens the document of a query, or goes on with it when it is still the same file.
   * @returns undefined when the server does not have it open just now
   * @throws whatever SQLite throws
   */
  open({ path, statement }: Pick<Job, "path" | "statement">): Opened | undefined {
    const file = fileAt(path);
    if (file === undefined) return undefined;
    const kept = this.#connect(path, file);
    if (!kept) return undefined;
    kept.uses++;
    kept.characters += statement.length;
    const { db } = kept;
    db.exec("begin");
    const version = db.prepare("pragma schema_version").get()?.["schema_version"];
    if (kept.contents?.version !== version) kept.contents = { version, of: contentsOf(db) };
    return { db, prelude: restrict(db, kept.contents?.of) };
  }

  /** Ends a query that went well: what it was allowed, and what it saw. */
  finish(): void {
    this.#kept?.db.setAuthorizer(null);
    this.#kept?.db.exec("rollback");
  }

  /** Lets go of the document; fine when there is none. */
  close(): void {
    this.#kept?.db.close();
    this.#kept = undefined;
  }

  #connect(path: string, file: string): Kept | undefined {
    const last = this.#kept;
    const isSame = last?.path === path && last.file === file;
    // As long as it is open here, nobody can take it out of the form in which it is read beside its writer.
    if (isSame && last.uses < MOST_USES && last.characters < MOST_CHARACTERS) return last;
    this.close();
    const db = openForReading(path);
    this.#kept = { db, path, file, uses: 0, characters: 0 };
    if (isOpenElsewhere(db)) return this.#kept;
    this.close();
    return undefined;
  }
}

/** Which file has a name; undefined when none has. */
function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}.${found.ino}`;
}

import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../../errors.ts";
import { temporaryName } from "../../../lib/temporary-names.ts";
import { TemporarySpace } from "../../../lib/temporary-space.ts";
import { Database } from "../../../sqlite/database.ts";

export interface IndexFileOptions {
  /** Folder of temporary files. */
  readonly folder: string;
  /** Maximum size of all temporary files. */
  readonly maxBytes: number;
}

/** SQLite's page cache of the file in KiB. */
const CACHE_KIB = 16_384;
/** Rows that are written between two checks of the size, and between two garbage collections: some megabytes. */
const CHECKED_ROWS = 65_536;

/**
 * A temporary SQLite database for the lookup indexes that exceed the memory for indexes. It has its own connection and
 * belongs to no transaction of the document: everything in it stays in one open transaction, is never synced, and is
 * deleted with the calculation that it belongs to, also when a change is rolled back.
 */
export class IndexFile {
  readonly #options: IndexFileOptions;
  readonly #space: TemporarySpace;
  #path: string | null = null;
  #db: Database | null = null;
  #writtenRows = 0;
  /** Number of written rows at which the size is checked next. */
  #nextCheck = 0;
  #lastTable = 0;

  constructor(options: IndexFileOptions) {
    this.#options = options;
    this.#space = new TemporarySpace({ ...options, limitError: temporarySpaceExceeded });
  }

  /** The connection. The file is created on first use. */
  get db(): Database {
    this.#db ??= this.#create();
    return this.#db;
  }

  /** True while it has, or had, indexes. */
  get isUsed(): boolean {
    return this.#db !== null;
  }

  /** Returns an unused name for a table. */
  newName(kind: string): string {
    return `${kind}_${++this.#lastTable}`;
  }

  /**
   * Call before rows are written.
   * @throws AppError `storage.temporary` when the temporary files exceed their limit
   */
  countWrites(rows: number): void {
    this.#writtenRows += rows;
    if (this.#writtenRows < this.#nextCheck) return;
    // Indexes that move here leave garbage behind, more than the engine expects.
    if (this.#nextCheck > 0) Bun.gc(true);
    this.#nextCheck = this.#writtenRows + CHECKED_ROWS;
    if (this.#space.usedBytes() > this.#options.maxBytes) throw temporarySpaceExceeded();
  }

  /** Frees the page cache. */
  shrink(): void {
    this.#db?.exec("pragma shrink_memory");
  }

  /** Deletes the file with all indexes. */
  clear(): void {
    this.#db?.close();
    this.#db = null;
    if (this.#path !== null) rmSync(this.#path, { force: true });
    this.#path = null;
    this.#writtenRows = 0;
    this.#nextCheck = 0;
  }

  #create(): Database {
    const { folder } = this.#options;
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, temporaryName("indexes"));
    closeSync(openSync(this.#path, "wx", 0o600));
    const db = new Database(this.#path);
    // Only pages from before the transaction are journaled, and there are none.
    db.exec("pragma journal_mode = memory; pragma synchronous = off; pragma locking_mode = exclusive");
    db.exec(`pragma cache_size = -${CACHE_KIB}; begin`);
    return db;
  }
}

const temporarySpaceExceeded = (): AppError =>
  new AppError(
    "storage.temporary",
    "The lookups of the formulas exceed the limit of temporary files (QUERN_TEMP_BYTES); nothing was changed",
  );

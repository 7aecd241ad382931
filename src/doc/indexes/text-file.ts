import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../../errors.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import { TemporarySpace } from "../../lib/temporary-space.ts";
import { Database } from "../../sqlite/database.ts";

export interface TextFileOptions {
  /** Folder of temporary files. */
  readonly folder: string;
  /** Maximum size of all temporary files. */
  readonly maxBytes: number;
}

/** SQLite's page cache while a file is written, in KiB, and the size at which FTS5 writes a segment, in bytes. */
const CACHE_KIB = 4096;
const SEGMENT_BYTES = 1_048_576;
/** Memory while a file is written. */
export const WRITER_BYTES = CACHE_KIB * 1024 + 4 * SEGMENT_BYTES;
/** Rows that are written between two checks of the temporary files. */
const CHECKED_ROWS = 16_384;
/** Pages that are merged in one step: about a millisecond. */
const MERGED_PAGES = 16;
/** Rows with longer texts are always candidates: indexing one would take longer than a step. */
const MAX_TEXT_LENGTH = 65_536;
/** Indexes leave this share of the temporary space to requests, which cannot do without. */
const MAX_SHARE = 0.5;

/** Returns true when temporary files take so much space that indexes should be dropped, or not be built. */
export const isSpaceShort = ({ folder, maxBytes }: TextFileOptions): boolean =>
  new TemporarySpace({ folder, maxBytes, limitError: spaceIsShort }).usedBytes() > MAX_SHARE * maxBytes;

const spaceIsShort = (): AppError =>
  new AppError("storage.temporary", "Temporary files leave no space for a search index");

/**
 * Writes an index of the trigrams of texts to a temporary SQLite database. It has its own connection, takes part in no
 * transaction of the document, and never changes once it is complete, so that all threads can read it without locks.
 */
export class TextFileWriter {
  readonly path: string;
  readonly #options: TextFileOptions;
  readonly #db: Database;
  #rows = 0;

  /** @throws AppError `storage.temporary` when temporary space is short */
  constructor(options: TextFileOptions) {
    if (isSpaceShort(options)) throw spaceIsShort();
    this.#options = options;
    mkdirSync(options.folder, { recursive: true });
    this.path = join(options.folder, temporaryName("texts"));
    closeSync(openSync(this.path, "wx", 0o600));
    this.#db = new Database(this.path);
    try {
      this.#create();
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  #create(): void {
    // A file that was not completed is deleted, so that it needs neither a journal nor syncs.
    this.#db.exec("pragma journal_mode = off; pragma synchronous = off; pragma locking_mode = exclusive");
    this.#db.exec(`pragma cache_size = -${CACHE_KIB}; begin`);
    // Only which rows have a trigram is stored. Texts are folded already.
    this.#db.exec(
      "create virtual table texts using fts5(text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1')",
    );
    this.#db.exec("create table long_texts (id integer primary key)");
    // Merges that FTS5 begins automatically take longer than a step.
    for (const [option, value] of [
      ["automerge", 0],
      ["crisismerge", 2000],
      ["usermerge", 2],
      ["hashsize", SEGMENT_BYTES],
    ] as const) {
      this.#db.run("insert into texts (texts, rank) values (?, ?)", option, value);
    }
  }

  /**
   * Adds the folded text of a row.
   * @throws AppError `storage.temporary` when temporary space is short
   */
  add(id: number, text: string): void {
    if (text.length > MAX_TEXT_LENGTH) this.#db.run("insert into long_texts values (?)", id);
    else if (text !== "") this.#db.run("insert into texts (rowid, text) values (?, ?)", id, text);
    if (++this.#rows % CHECKED_ROWS === 0 && isSpaceShort(this.#options)) throw spaceIsShort();
  }

  /** Completes the file, in steps. */
  *finish(): Generator<void> {
    // A negative number assigns all segments to one merge, which the following calls continue.
    for (let pages = -MERGED_PAGES; ; pages = MERGED_PAGES) {
      const before = this.#changes();
      this.#db.run("insert into texts (texts, rank) values ('merge', ?)", pages);
      yield;
      if (this.#changes() - before < 2) break;
    }
    this.#db.exec("commit");
    this.#db.close();
  }

  /** Deletes the file. Idempotent. */
  discard(): void {
    this.#db.close();
    removeTextFile(this.path);
  }

  #changes(): number {
    return Number(this.#db.values("select total_changes()")[0]?.[0]);
  }
}

/** Deletes a file that other threads may still read. Idempotent. */
export function removeTextFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Some systems do not delete open files: it is deleted when the server starts again.
  }
}

/** Characters of an entry of the index. */
const TRIGRAM = 3;
/** More entries of a long word hardly exclude further rows. */
const MAX_TRIGRAMS_PER_WORD = 16;

/**
 * Returns an FTS5 query that all texts match which contain the words; null when it would not exclude any, because all words
 * are too short.
 */
export function trigramQuery(words: readonly string[]): string | null {
  const trigrams = words.filter((word) => word.isWellFormed() && !word.includes("\0")).flatMap(trigramsOf);
  return trigrams.length === 0
    ? null
    : [...new Set(trigrams)].map((text) => `"${text.replaceAll('"', '""')}"`).join(" AND ");
}

function trigramsOf(word: string): string[] {
  const characters = Array.from(word);
  const count = Math.min(MAX_TRIGRAMS_PER_WORD, Math.max(0, characters.length - TRIGRAM + 1));
  return Array.from({ length: count }, (_, at) => characters.slice(at, at + TRIGRAM).join(""));
}

/** Adds the ids of the rows that match an FTS5 query to `found`. @returns false when there are more than `limit` in total */
export function findTexts(
  path: string,
  { query, limit }: { query: string; limit: number },
  found: Set<number>,
): boolean {
  using db = new Database(path, { readonly: true });
  const sql = "select id from long_texts union all select rowid from texts where texts match ? limit ?";
  for (const [id] of db.values(sql, query, limit + 1)) found.add(Number(id));
  return found.size <= limit;
}

import { join } from "node:path";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import { Database } from "../sqlite/database.ts";
import { ResponseFile } from "./response-file.ts";

/**
 * The connection that rows are read from: replaced by a connection with a snapshot when a response turns out to be
 * large.
 */
export interface ReadConnection {
  db: Database;
}

/** The chunks of a response, generated on demand. */
export type ChunkIterator = Iterator<string | Uint8Array>;

interface Cursor {
  readonly db: Database;
  readonly chunks: ChunkIterator;
  /** Monotonic times. */
  readonly openedAt: number;
  usedAt: number;
  /** Set once the rest of the response is being written to a temporary file, so that the snapshot can end. */
  rest: ResponseFile | null;
}

export interface CursorsOptions {
  /** The document's file. */
  readonly path: string;
  readonly clock: Clock;
  /**
   * The connection in whose transaction responses are read, for a document that is read in one snapshot; null opens a
   * connection for each cursor.
   */
  readonly connection: Database | null;
}

/** The maximum number of open cursors per document. */
const MAX_CURSORS = 64;
/** The approximate size of a message between threads, in characters or bytes. */
const MESSAGE_SIZE = 262_144;

/** The minimum cost of a chunk: some take work and yield little or nothing. */
const MIN_CHUNK_COST = 32_768;

const encoder = new TextEncoder();

/**
 * Cursors of large responses in progress. Each reads in one long read transaction, and so from a snapshot of the
 * document at the start of the response, whatever is committed meanwhile. A snapshot prevents that the write-ahead log
 * is used again from its beginning: the rest of a response that a client reads slowly is written to a temporary file.
 */
export class Cursors implements Disposable {
  readonly #options: CursorsOptions;
  readonly #open = new Map<string, Cursor>();

  constructor(options: CursorsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  has(name: string): boolean {
    return this.#open.has(name);
  }

  /**
   * Continues `chunks`, which read from `source`, in a snapshot of their own. Call in the same turn of the event loop in
   * which the previous chunks were read, so that no commit occurs in between.
   * @returns the cursor's name
   * @throws AppError `tooMany`
   */
  open(source: ReadConnection, chunks: ChunkIterator): string {
    if (this.#open.size >= MAX_CURSORS) {
      throw new AppError("tooMany", "Too many concurrent large responses from this document", { retryAfterS: 5 });
    }
    const db = this.#options.connection ?? openSnapshot(this.#options.path);
    source.db = db;
    const name = randomHex(8);
    const now = this.#options.clock.elapsed();
    this.#open.set(name, { db, chunks, openedAt: now, usedAt: now, rest: null });
    return name;
  }

  /**
   * Returns the next bytes, empty when the work done yields bytes only later; null at the end, which also closes the
   * cursor.
   * @throws AppError `unavailable` when the cursor is closed
   */
  next(name: string): Uint8Array | null {
    const cursor = this.#open.get(name);
    if (!cursor) throw new AppError("unavailable", "The response is no longer being read", { retryAfterS: 1 });
    cursor.usedAt = this.#options.clock.elapsed();
    try {
      if (cursor.rest?.isDrained) this.#copyNext(cursor, cursor.rest);
      const { bytes, isDone } = cursor.rest?.take(MESSAGE_SIZE) ?? takeChunks(cursor.chunks, MESSAGE_SIZE);
      if (!isDone || bytes.length > 0) return bytes;
    } catch (error) {
      this.close(name);
      throw error;
    }
    this.close(name);
    return null;
  }

  /** Closes a cursor. Idempotent. */
  close(name: string): void {
    const cursor = this.#open.get(name);
    if (!cursor) return;
    this.#open.delete(name);
    cursor.rest?.[Symbol.dispose]();
    this.#endSnapshot(cursor);
  }

  /**
   * Closes cursors that have been idle since `before`, a monotonic time: their readers disappeared without closing
   * them.
   */
  closeIdleSince(before: number): void {
    for (const [name, cursor] of this.#open) if (cursor.usedAt < before) this.close(name);
  }

  /**
   * Continues to write the rest of responses that were opened before a monotonic time to temporary files, for about
   * `maxMs`. The snapshot of a response ends when the rest is complete.
   * @returns true while some are incomplete
   */
  copyOlderThan(before: number, { folder, maxMs }: { folder: string; maxMs: number }): boolean {
    const { clock } = this.#options;
    const deadline = clock.elapsed() + maxMs;
    for (const [name, cursor] of this.#open) {
      if (cursor.openedAt >= before) continue;
      try {
        cursor.rest ??= new ResponseFile(join(folder, temporaryName("response")));
      } catch {
        // The folder cannot be written to: the client gets an error with its next read.
        this.close(name);
        continue;
      }
      while (!cursor.rest.isComplete) {
        if (clock.elapsed() >= deadline) return true;
        this.#copyNext(cursor, cursor.rest);
      }
    }
    return false;
  }

  #copyNext(cursor: Cursor, rest: ResponseFile): void {
    try {
      const { bytes, isDone } = takeChunks(cursor.chunks, MESSAGE_SIZE);
      rest.append(bytes, { isLast: isDone });
    } catch (error) {
      rest.fail(error);
    }
    if (rest.isComplete) this.#endSnapshot(cursor);
  }

  [Symbol.dispose](): void {
    for (const name of this.#open.keys()) this.close(name);
  }

  #endSnapshot({ db }: Cursor): void {
    if (db !== this.#options.connection) db.close();
    else if (db.inTransaction) db.exec("commit");
  }
}

function openSnapshot(path: string): Database {
  const db = new Database(path, { readonly: true });
  try {
    db.exec("begin");
    // SQLite takes the snapshot on the first read rather than on begin.
    db.get("select count(*) from sqlite_master");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Joins chunks up to about `size` characters or bytes, or an equivalent amount of work. */
export function takeChunks(chunks: ChunkIterator, size: number): { bytes: Uint8Array; isDone: boolean } {
  const parts: Uint8Array[] = [];
  let texts: string[] = [];
  const endText = (): void => {
    if (texts.length > 0) parts.push(encoder.encode(texts.join("")));
    texts = [];
  };
  let length = 0;
  let isDone = false;
  while (length < size && !isDone) {
    const next = chunks.next();
    if (next.done) isDone = true;
    else if (typeof next.value === "string") texts.push(next.value);
    else {
      endText();
      parts.push(next.value);
    }
    if (!next.done) length += Math.max(next.value.length, MIN_CHUNK_COST);
  }
  endText();
  return { bytes: parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), isDone };
}

import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { Database } from "../sqlite/database.ts";

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
  usedAt: number;
}

/** The maximum number of open cursors per document. */
const MAX_CURSORS = 64;
/** The approximate size of a message between threads, in characters or bytes. */
const MESSAGE_SIZE = 262_144;

/** The minimum cost of a chunk: some take work and yield little or nothing. */
const MIN_CHUNK_COST = 32_768;

const encoder = new TextEncoder();

/**
 * Cursors of large responses in progress. Each reads on its own connection in one long read transaction, and so from a
 * snapshot of the document at the start of the response, whatever is committed meanwhile.
 */
export class Cursors implements Disposable {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #open = new Map<string, Cursor>();

  constructor(path: string, clock: Clock) {
    this.#path = path;
    this.#clock = clock;
  }

  get size(): number {
    return this.#open.size;
  }

  has(name: string): boolean {
    return this.#open.has(name);
  }

  /**
   * Continues `chunks`, which read from `source`, on a separate connection. Call in the same turn of the event loop in
   * which the previous chunks were read, so that no commit occurs in between.
   * @returns the cursor's name
   * @throws AppError `tooMany`
   */
  open(source: ReadConnection, chunks: ChunkIterator): string {
    if (this.#open.size >= MAX_CURSORS) {
      throw new AppError("tooMany", "Too many concurrent large responses from this document", { retryAfterS: 5 });
    }
    const db = new Database(this.#path, { readonly: true });
    try {
      db.exec("begin");
      // SQLite takes the snapshot on the first read rather than on begin.
      db.get("select count(*) from sqlite_master");
    } catch (error) {
      db.close();
      throw error;
    }
    source.db = db;
    const name = randomHex(8);
    this.#open.set(name, { db, chunks, usedAt: this.#clock.elapsed() });
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
    cursor.usedAt = this.#clock.elapsed();
    try {
      const { bytes, isDone } = takeChunks(cursor.chunks, MESSAGE_SIZE);
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
    this.#open.get(name)?.db.close();
    this.#open.delete(name);
  }

  /**
   * Closes cursors that have been idle since `before`, a monotonic time: their readers disappeared without closing
   * them.
   */
  closeIdleSince(before: number): void {
    for (const [name, cursor] of this.#open) if (cursor.usedAt < before) this.close(name);
  }

  [Symbol.dispose](): void {
    for (const name of this.#open.keys()) this.close(name);
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

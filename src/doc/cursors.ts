import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { Database } from "../sqlite/database.ts";

/** Where rows are read from: exchanged for a connection of its own when an answer turns out to be large. */
export interface ReadConnection {
  db: Database;
}

/** An answer as it is made, bit by bit. */
export type ChunkIterator = Iterator<string | Uint8Array>;

interface Cursor {
  readonly db: Database;
  readonly chunks: ChunkIterator;
  usedAt: number;
}

/** How many large answers of one document may be under way. */
const MAX_CURSORS = 64;
/** About how much goes into one message, in characters or bytes. */
const MESSAGE_SIZE = 262_144;

/** What a piece counts at least: some take work and give little or nothing. */
const MIN_CHUNK_COST = 32_768;

const encoder = new TextEncoder();

/**
 * Large answers under way: each reads on a connection of its own in one long read transaction, and so sees the
 * document as it was when the answer began, whatever is committed meanwhile.
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
   * Goes on with `pieces`, which read from `source`, on a connection of its own. To be called in the same turn as the
   * pieces before were read, so that nothing is committed between.
   * @returns the cursor's name.
   * @throws AppError `tooMany`
   */
  open(source: ReadConnection, chunks: ChunkIterator): string {
    if (this.#open.size >= MAX_CURSORS) {
      throw new AppError("tooMany", "Too many large answers of this document are under way", { retryAfterS: 5 });
    }
    const db = new Database(this.#path, { readonly: true });
    try {
      db.exec("begin");
      // The snapshot is taken by the first reading, not by the beginning of the transaction.
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
   * The next bytes, none where what was done gives bytes later; null at the end, which also closes the cursor.
   * @throws AppError `unavailable` for a cursor that is closed.
   */
  next(name: string): Uint8Array | null {
    const cursor = this.#open.get(name);
    if (!cursor) throw new AppError("unavailable", "The answer is no longer being read", { retryAfterS: 1 });
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

  /** Gives a cursor up; fine when it is closed. */
  close(name: string): void {
    this.#open.get(name)?.db.close();
    this.#open.delete(name);
  }

  /** Closes those nobody has asked for since `before`, an elapsed time: their readers are gone without a word. */
  closeIdleSince(before: number): void {
    for (const [name, cursor] of this.#open) if (cursor.usedAt < before) this.close(name);
  }

  [Symbol.dispose](): void {
    for (const name of this.#open.keys()) this.close(name);
  }
}

/** Pieces joined until they have about `size` characters or bytes, or took about as much work. */
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

const LENGTH = 0;
const CLOSED = 1;
const HEADER_BYTES = 8;

/**
 * An append-only list of unsigned 32-bit numbers in memory that threads share. One thread appends. Readers see every
 * entry that was appended before they read the length, and never a partial one.
 */
export class SharedLog {
  readonly buffer: SharedArrayBuffer;
  readonly #header: Int32Array;
  readonly #entries: Uint32Array;

  /** @param source the capacity of a new log, or the buffer of another thread's log */
  constructor(source: number | SharedArrayBuffer) {
    this.buffer = typeof source === "number" ? new SharedArrayBuffer(HEADER_BYTES + source * 4) : source;
    this.#header = new Int32Array(this.buffer, 0, 2);
    this.#entries = new Uint32Array(this.buffer, HEADER_BYTES);
  }

  get length(): number {
    return Atomics.load(this.#header, LENGTH);
  }

  get capacity(): number {
    return this.#entries.length;
  }

  /** True once the log misses changes: what it belongs to must no longer be used. */
  get isClosed(): boolean {
    return Atomics.load(this.#header, CLOSED) === 1;
  }

  /** Closes the log, for all threads. Idempotent. */
  close(): void {
    Atomics.store(this.#header, CLOSED, 1);
  }

  /** Returns the entry at an index below `length`. */
  at(index: number): number {
    return this.#entries[index] ?? 0;
  }

  /** Appends all numbers or, when they do not fit, closes the log. */
  append(numbers: readonly number[]): void {
    const { length } = this;
    if (length + numbers.length > this.capacity) return this.close();
    for (const [at, number] of numbers.entries()) this.#entries[length + at] = number;
    Atomics.store(this.#header, LENGTH, length + numbers.length);
  }
}

/**
 * The memory of results and changes that clients have not taken yet. Subscribers of a group share their bytes, which
 * count once, however many clients have yet to take them.
 */
export class LiveBuffers {
  readonly #maxBytes: number;
  readonly #holders = new Map<Uint8Array, number>();
  /** Bytes that are held for later subscribers only, with functions that release them, least recently cached first. */
  readonly #cached = new Map<Uint8Array, () => void>();
  readonly #waiting = new Set<() => void>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns whether new bytes can be held; releases cached ones if necessary. */
  hasRoom(length: number): boolean {
    for (const [bytes, release] of this.#cached) {
      if (this.#fits(length)) break;
      // Bytes that clients have yet to take remain.
      if (this.#holders.get(bytes) === 1) release();
    }
    return this.#fits(length);
  }

  /** Counts a holder of bytes, who must release them. @returns false, and does nothing, if there is no room */
  tryHold(bytes: Uint8Array): boolean {
    const holders = this.#holders.get(bytes) ?? 0;
    if (holders === 0) {
      if (!this.hasRoom(bytes.length)) return false;
      this.#bytes += bytes.length;
    }
    this.#holders.set(bytes, holders + 1);
    return true;
  }

  release(bytes: Uint8Array): void {
    const holders = this.#holders.get(bytes) ?? 0;
    if (holders > 1) return void this.#holders.set(bytes, holders - 1);
    if (!this.#holders.delete(bytes)) return;
    this.#bytes -= bytes.length;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onRoom of waiting) onRoom();
  }

  /**
   * Holds bytes until the returned function is called, or `onEvicted`, when there is no room for others.
   * @returns null if there is no room
   */
  cache(bytes: Uint8Array, onEvicted: () => void): (() => void) | null {
    if (!this.tryHold(bytes)) return null;
    const release = (): void => {
      if (this.#cached.delete(bytes)) this.release(bytes);
    };
    this.#cached.set(bytes, () => {
      release();
      onEvicted();
    });
    return release;
  }

  /** Calls a function once, when bytes have been released. */
  onRoom(callback: () => void): void {
    this.#waiting.add(callback);
  }

  /** As `onRoom`, no longer. Idempotent. */
  cancelOnRoom(callback: () => void): void {
    this.#waiting.delete(callback);
  }

  /** One result fits, however large it is. */
  #fits(length: number): boolean {
    return this.#bytes === 0 || this.#bytes + length <= this.#maxBytes;
  }
}

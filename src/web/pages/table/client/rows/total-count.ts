/** The number of all rows of a table that the user sees, read only while a filter shows a part of them. */
export class TotalCount {
  readonly #read: () => Promise<number>;
  readonly #changed: () => void;
  #count: number | null = null;
  #isReading = false;
  #isStale = true;

  /** @param changed called when the number is known */
  constructor(read: () => Promise<number>, changed: () => void) {
    this.#read = read;
    this.#changed = changed;
  }

  /** Null until it is known. */
  get count(): number | null {
    return this.#count;
  }

  /** Rows may have changed. */
  invalidate(): void {
    this.#isStale = true;
  }

  /** Reads the number if it may have changed. The line keeps the former one on failure. */
  async update(): Promise<void> {
    if (this.#isReading || !this.#isStale) return;
    this.#isReading = true;
    this.#isStale = false;
    try {
      this.#count = await this.#read();
      this.#changed();
    } catch {
      this.#isStale = true;
    } finally {
      this.#isReading = false;
    }
  }
}

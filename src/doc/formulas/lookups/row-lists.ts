/** Lists are kept up to this number of rows in all. */
const MAX_LISTED_ROWS = 1_000_000;
/** The memory of a list without its rows, in rows. */
const LIST_OVERHEAD_ROWS = 16;
const ROW_BYTES = 8;

/** A cache of lists of rows by the numbers of keys. The lists are never modified, because sets of records share them. */
export class RowLists {
  readonly #lists = new Map<number, readonly number[]>();
  #rows = 0;

  get(key: number): readonly number[] | undefined {
    return this.#lists.get(key);
  }

  /** Adds a list that the cache does not have. */
  add(key: number, rows: readonly number[]): readonly number[] {
    if (this.#rows > MAX_LISTED_ROWS) this.clear();
    this.#lists.set(key, rows);
    this.#rows += rows.length + LIST_OVERHEAD_ROWS;
    return rows;
  }

  delete(key: number): void {
    if (this.#lists.size === 0) return;
    const rows = this.#lists.get(key);
    if (!rows) return;
    this.#lists.delete(key);
    this.#rows -= rows.length + LIST_OVERHEAD_ROWS;
  }

  clear(): void {
    this.#lists.clear();
    this.#rows = 0;
  }

  get bytes(): number {
    return this.#rows * ROW_BYTES;
  }
}

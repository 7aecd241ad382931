/** From this size on, a bitmap takes less memory than a Set, and needs no sorting. */
const MAX_LISTED_ROWS = 512;
const PAGE_BITS = 4096;
const WORD_BITS = 32;

/** A set of row ids. Small sets are kept as they are; larger ones as a bitmap: one bit instead of some 40 bytes a row. */
export class RowSet implements Iterable<number> {
  #listed: Set<number> | null = new Set();
  readonly #pages = new Map<number, Uint32Array>();
  #size = 0;

  constructor(rows: Iterable<number> = []) {
    for (const row of rows) this.add(row);
  }

  get size(): number {
    return this.#listed ? this.#listed.size : this.#size;
  }

  has(row: number): boolean {
    if (this.#listed) return this.#listed.has(row);
    const page = this.#pages.get(Math.floor(row / PAGE_BITS));
    const bit = row % PAGE_BITS;
    return page !== undefined && ((page[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0;
  }

  /** @returns whether the row was added */
  add(row: number): boolean {
    if (this.#listed) {
      const before = this.#listed.size;
      this.#listed.add(row);
      if (this.#listed.size > MAX_LISTED_ROWS) this.#convert(this.#listed);
      return this.size > before;
    }
    return this.#setBit(row);
  }

  /** @returns whether the row was removed */
  delete(row: number): boolean {
    if (this.#listed) return this.#listed.delete(row);
    if (!this.has(row)) return false;
    const page = this.#pages.get(Math.floor(row / PAGE_BITS));
    const bit = row % PAGE_BITS;
    if (page) page[bit >>> 5] = (page[bit >>> 5] ?? 0) & ~(1 << (bit & 31));
    this.#size--;
    return true;
  }

  clear(): void {
    this.#listed = new Set();
    this.#pages.clear();
    this.#size = 0;
  }

  /** Returns the rows in ascending order. */
  toSorted(): number[] {
    if (this.#listed) return [...this.#listed].toSorted((a, b) => a - b);
    const rows: number[] = [];
    for (const index of [...this.#pages.keys()].toSorted((a, b) => a - b)) {
      const page = this.#pages.get(index);
      if (page) listBits(page, index * PAGE_BITS, rows);
    }
    return rows;
  }

  [Symbol.iterator](): Iterator<number> {
    return (this.#listed ?? this.toSorted())[Symbol.iterator]();
  }

  #convert(listed: ReadonlySet<number>): void {
    this.#listed = null;
    for (const row of listed) this.#setBit(row);
  }

  #setBit(row: number): boolean {
    const index = Math.floor(row / PAGE_BITS);
    let page = this.#pages.get(index);
    if (!page) this.#pages.set(index, (page = new Uint32Array(PAGE_BITS / WORD_BITS)));
    const bit = row % PAGE_BITS;
    const word = page[bit >>> 5] ?? 0;
    const changed = word | (1 << (bit & 31));
    page[bit >>> 5] = changed;
    // The first read is unsigned, the disjunction is not.
    if (changed >>> 0 === word) return false;
    this.#size++;
    return true;
  }
}

function listBits(page: Uint32Array, first: number, rows: number[]): void {
  for (let w = 0; w < page.length; w++) {
    for (let word = page[w] ?? 0; word !== 0; word &= word - 1) {
      rows.push(first + w * WORD_BITS + (31 - Math.clz32(word & -word)));
    }
  }
}

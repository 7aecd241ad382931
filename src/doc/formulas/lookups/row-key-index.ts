import { NO_ROWS } from "../pending-rows.ts";
import type { RowKeys } from "./index-forms.ts";
import { RowLists } from "./row-lists.ts";

const PAGE_ROWS = 4096;

/** Integers by row id, 0 where none was set. Pages, because row ids may be sparse. */
export class RowIntegers {
  readonly #pages = new Map<number, Int32Array>();

  get(row: number): number {
    return this.#pages.get(Math.floor(row / PAGE_ROWS))?.[row % PAGE_ROWS] ?? 0;
  }

  set(row: number, value: number): void {
    const index = Math.floor(row / PAGE_ROWS);
    let page = this.#pages.get(index);
    if (!page) {
      if (value === 0) return;
      this.#pages.set(index, (page = new Int32Array(PAGE_ROWS)));
    }
    page[row % PAGE_ROWS] = value;
  }

  /** Returns the rows with a value other than 0. */
  *rows(): Generator<number> {
    for (const [index, page] of this.#pages) {
      for (let at = 0; at < PAGE_ROWS; at++) if (page[at] !== 0) yield index * PAGE_ROWS + at;
    }
  }

  get bytes(): number {
    return this.#pages.size * PAGE_ROWS * 4;
  }
}

const INITIAL_ENTRIES = 64;
/** Bytes of an entry in all arrays. */
const ENTRY_BYTES = 24;
/** While arrays grow, the former ones are still in memory. */
const GROWTH = 1.5;

/**
 * Which rows have which keys, in memory. A pair of a row and a key is an entry: a few integers in typed arrays, linked to
 * the other entries of its key and of its row.
 */
export class RowKeyIndex implements RowKeys {
  /** By row: its newest entry. */
  readonly #firstOfRow = new RowIntegers();
  /** By key number. */
  #firstOfKey = new Int32Array(INITIAL_ENTRIES);
  #lastOfKey = new Int32Array(INITIAL_ENTRIES);
  #countOfKey = new Int32Array(INITIAL_ENTRIES);
  /** By entry; entries start at 1. */
  #row = new Float64Array(INITIAL_ENTRIES);
  #key = new Int32Array(INITIAL_ENTRIES);
  #next = new Int32Array(INITIAL_ENTRIES);
  #previous = new Int32Array(INITIAL_ENTRIES);
  #nextOfRow = new Int32Array(INITIAL_ENTRIES);
  #entryCount = 1;
  /** The first of the removed entries, which are linked by `#next`. */
  #firstFree = 0;
  /** The lists that were asked for. */
  readonly #lists = new RowLists();
  size = 0;

  rowsOf(key: number): readonly number[] {
    const count = this.countOf(key);
    if (count === 0) return NO_ROWS;
    return this.#lists.get(key) ?? this.#lists.add(key, this.#listRows(key, count));
  }

  hasRows(key: number): boolean {
    return this.countOf(key) > 0;
  }

  /** Returns the number of rows of a key. */
  countOf(key: number): number {
    return this.#countOfKey[key] ?? 0;
  }

  /** Returns the keys of a row in the order in which they were added. */
  keysOf(row: number): number[] {
    const keys: number[] = [];
    for (let entry = this.#firstOfRow.get(row); entry !== 0; entry = this.#nextOfRow[entry] ?? 0) {
      keys.push(this.#key[entry] ?? 0);
    }
    return keys.reverse();
  }

  /** Returns whether the row has the key: searches the keys of the row and the rows of the key, whichever end first. */
  has(row: number, key: number): boolean {
    let ofRow = this.#firstOfRow.get(row);
    let ofKey = this.#firstOfKey[key] ?? 0;
    while (ofRow !== 0 && ofKey !== 0) {
      if (this.#key[ofRow] === key || this.#row[ofKey] === row) return true;
      ofRow = this.#nextOfRow[ofRow] ?? 0;
      ofKey = this.#next[ofKey] ?? 0;
    }
    return false;
  }

  onlyKeyOf(row: number): number {
    const entry = this.#firstOfRow.get(row);
    if (entry === 0) return 0;
    return this.#nextOfRow[entry] === 0 ? (this.#key[entry] ?? 0) : -1;
  }

  rows(): Iterable<number> {
    return this.#firstOfRow.rows();
  }

  add(row: number, key: number): void {
    const entry = this.#newEntry();
    this.#row[entry] = row;
    this.#key[entry] = key;
    this.#nextOfRow[entry] = this.#firstOfRow.get(row);
    this.#firstOfRow.set(row, entry);
    this.#reserveKey(key);
    const last = this.#lastOfKey[key] ?? 0;
    if (last === 0) this.#firstOfKey[key] = entry;
    else this.#next[last] = entry;
    this.#previous[entry] = last;
    this.#lastOfKey[key] = entry;
    this.#countOfKey[key] = (this.#countOfKey[key] ?? 0) + 1;
    this.size++;
    this.#lists.delete(key);
  }

  removeRow(row: number): void {
    let entry = this.#firstOfRow.get(row);
    if (entry === 0) return;
    this.#firstOfRow.set(row, 0);
    while (entry !== 0) {
      const next = this.#nextOfRow[entry] ?? 0;
      this.#unlink(entry);
      entry = next;
    }
  }

  dropLists(): void {
    this.#lists.clear();
  }

  discard(): void {
    // Garbage collection is enough.
  }

  get bytes(): number {
    return this.#firstOfRow.bytes + this.#firstOfKey.length * 12 + this.#row.length * ENTRY_BYTES + this.#lists.bytes;
  }

  #listRows(key: number, count: number): number[] {
    const rows: number[] = [];
    let isSorted = true;
    let last = -1;
    for (let entry = this.#firstOfKey[key] ?? 0; entry !== 0 && rows.length < count; entry = this.#next[entry] ?? 0) {
      const row = this.#row[entry] ?? 0;
      if (row < last) isSorted = false;
      last = row;
      rows.push(row);
    }
    return isSorted ? rows : rows.sort((a, b) => a - b);
  }

  #newEntry(): number {
    const free = this.#firstFree;
    if (free !== 0) {
      this.#firstFree = this.#next[free] ?? 0;
      this.#next[free] = 0;
      return free;
    }
    if (this.#entryCount === this.#row.length) this.#growEntries();
    return this.#entryCount++;
  }

  #unlink(entry: number): void {
    const key = this.#key[entry] ?? 0;
    const previous = this.#previous[entry] ?? 0;
    const next = this.#next[entry] ?? 0;
    if (previous === 0) this.#firstOfKey[key] = next;
    else this.#next[previous] = next;
    if (next === 0) this.#lastOfKey[key] = previous;
    else this.#previous[next] = previous;
    this.#countOfKey[key] = (this.#countOfKey[key] ?? 0) - 1;
    this.#nextOfRow[entry] = 0;
    this.#previous[entry] = 0;
    this.#next[entry] = this.#firstFree;
    this.#firstFree = entry;
    this.size--;
    this.#lists.delete(key);
  }

  #reserveKey(key: number): void {
    if (key < this.#firstOfKey.length) return;
    const length = Math.max(key + 1, Math.ceil(this.#firstOfKey.length * GROWTH));
    this.#firstOfKey = enlarged(this.#firstOfKey, length);
    this.#lastOfKey = enlarged(this.#lastOfKey, length);
    this.#countOfKey = enlarged(this.#countOfKey, length);
  }

  #growEntries(): void {
    const length = Math.ceil(this.#row.length * GROWTH);
    const rows = new Float64Array(length);
    rows.set(this.#row);
    this.#row = rows;
    this.#key = enlarged(this.#key, length);
    this.#next = enlarged(this.#next, length);
    this.#previous = enlarged(this.#previous, length);
    this.#nextOfRow = enlarged(this.#nextOfRow, length);
  }
}

function enlarged(integers: Int32Array<ArrayBuffer>, length: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(length);
  larger.set(integers);
  return larger;
}

import type { ColumnNode } from "../nodes.ts";
import { FileRowKeys } from "./file-indexes.ts";
import type { KeyNumbers, RowKeys } from "./index-forms.ts";
import type { IndexFile } from "./index-file.ts";
import { RowIntegers } from "./row-key-index.ts";
import type { Key } from "./lookup-keys.ts";
import { NO_ROWS } from "../pending-rows.ts";
import { RowSet } from "../row-set.ts";

/** The keys that the rows of a formula column looked up. */
export class LookupReader {
  /** The formula column. */
  readonly column: ColumnNode;
  readonly #map: { readonly numbers: KeyNumbers };
  readonly #onUnused: (key: number) => void;
  #index: RowKeys;
  /** By row: the last evaluation that looked up a key. */
  readonly #generations = new RowIntegers();

  /** @param options the map's indexes, an empty index, and what is called when no row looks up a key any more */
  constructor(
    column: ColumnNode,
    options: { map: { readonly numbers: KeyNumbers }; index: RowKeys; onUnused: (key: number) => void },
  ) {
    this.column = column;
    this.#map = options.map;
    this.#index = options.index;
    this.#onUnused = options.onUnused;
  }

  /**
   * Records a lookup and returns the number of its key. A new `generation` (evaluation of the row) discards the keys of
   * the previous one.
   */
  record(row: number, key: Key, generation: number): number {
    const number = this.#map.numbers.numberOf(key);
    if (this.#startEvaluation(row, number, generation)) return number;
    // Not the number from above: it may have been released with the former keys.
    const added = this.#map.numbers.numberOf(key);
    this.#index.add(row, added);
    return added;
  }

  /** As `record`, for the number of a key that another row looked up. */
  recordNumber(row: number, number: number, generation: number): void {
    if (!this.#startEvaluation(row, number, generation)) this.#index.add(row, number);
  }

  /** Discards the keys of the previous evaluation. Returns true when the row has the key already. */
  #startEvaluation(row: number, number: number, generation: number): boolean {
    const current = generation | 0;
    const isSameEvaluation = this.#generations.get(row) === current;
    if (!isSameEvaluation) this.#generations.set(row, current);
    const only = this.#index.onlyKeyOf(row);
    if (only === number) return true;
    if (only === 0) return false;
    if (!isSameEvaluation) this.remove(row);
    else if (only < 0) return this.#index.has(row, number);
    return false;
  }

  /** Removes the lookups of a removed row. */
  remove(row: number): void {
    const keys = this.#index.keysOf(row);
    this.#index.removeRow(row);
    for (const key of keys) if (this.isUnused(key)) this.#onUnused(key);
  }

  /** Returns true when no row looked up the key. */
  isUnused(key: number): boolean {
    return !this.#index.hasRows(key);
  }

  /** Returns the rows that looked up any of the keys. */
  rowsOf(keys: RowSet): readonly number[] {
    let first = NO_ROWS;
    let found: RowSet | undefined;
    for (const key of keys) {
      const rows = this.#index.rowsOf(key);
      if (rows.length === 0) continue;
      if (first.length === 0) first = rows;
      else {
        found ??= new RowSet(first);
        for (const row of rows) found.add(row);
      }
    }
    return found?.toSorted() ?? first;
  }

  /** Moves its index from memory to a file. */
  moveTo(file: IndexFile): void {
    this.#index = new FileRowKeys(file).copyFrom(this.#index);
  }

  /** Deletes its index. The reader must not be used any more. */
  discard(): void {
    this.#index.discard();
  }

  dropLists(): void {
    this.#index.dropLists();
  }

  get bytes(): number {
    return this.#index.bytes + this.#generations.bytes;
  }
}

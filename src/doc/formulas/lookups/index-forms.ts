import type { Key } from "./lookup-keys.ts";

/**
 * Numbers keys, so that indexes hold integers. Numbers start at 1.
 */
export interface KeyNumbers {
  /** Returns the number of a key; 0 when it has none. */
  find(key: Key): number;
  /** Returns the number of a key, assigned when it is new. */
  numberOf(key: Key): number;
  keyOf(number: number): Key | undefined;
  /** Returns all numbers in use. Numbers may be released while they are read. */
  numbers(): Iterable<number>;
  release(number: number): void;
  /** Deletes everything. The numbers must not be used any more. */
  discard(): void;
  /** Memory. */
  readonly bytes: number;
}

/** Which rows have which numbered keys, in both directions. */
export interface RowKeys {
  /** Returns the sorted rows of a key. Callers must not modify the list. */
  rowsOf(key: number): readonly number[];
  /** Returns true when any row has the key. */
  hasRows(key: number): boolean;
  keysOf(row: number): number[];
  has(row: number, key: number): boolean;
  /** Returns the only key of a row; 0 when it has none, -1 when it has several. */
  onlyKeyOf(row: number): number;
  /** Returns the rows with keys. Keys may be removed while they are read. */
  rows(): Iterable<number>;
  /** Adds a key that the row does not have yet. */
  add(row: number, key: number): void;
  /** Removes all keys of a row. */
  removeRow(row: number): void;
  /** Drops the lists of rows, which are made again when they are asked for. */
  dropLists(): void;
  /** Deletes everything. The index must not be used any more. */
  discard(): void;
  /** The number of pairs. */
  readonly size: number;
  /** Memory. */
  readonly bytes: number;
}

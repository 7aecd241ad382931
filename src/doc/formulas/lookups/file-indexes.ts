import { hashKey } from "./key-hash.ts";
import type { KeyNumbers, RowKeys } from "./index-forms.ts";
import type { IndexFile } from "./index-file.ts";
import type { Key } from "./lookup-keys.ts";
import { NO_ROWS } from "../pending-rows.ts";
import { RowBatch } from "./row-batch.ts";
import { RowLists } from "./row-lists.ts";

/** Numbers of rows or keys that are listed together. */
const PAGE = 10_000;
/** Rows that are read together when keys are looked up in order. */
const ROWS_READ_AHEAD = 64;

/** The numbers of keys in a table of an index file. */
export class FileKeyNumbers implements KeyNumbers {
  readonly bytes = 0;
  readonly #file: IndexFile;
  readonly #table: string;
  readonly #selectNumber: string;
  readonly #added: RowBatch;
  /** The numbers of keys that were not inserted yet. */
  readonly #addedNumbers = new Map<Key, number>();
  /** The key that was found last: a formula looks up a key several times. */
  #lastKey: Key = "";
  #lastNumber = 0;
  #next = 1;

  constructor(file: IndexFile) {
    this.#file = file;
    const table = (this.#table = file.newName("keys"));
    // Not an index of the keys: random inserts into it would be slow when it exceeds the cache.
    file.db.exec(`create table ${table} (number integer primary key, hash integer, key);
      create index ${table}_hash on ${table} (hash)`);
    this.#selectNumber = `select number from ${table} where hash = ? and key = ?`;
    this.#added = new RowBatch(file, table, { columns: 3 });
  }

  find(key: Key): number {
    if (this.#lastNumber !== 0 && this.#lastKey === key) return this.#lastNumber;
    const number = this.#addedNumbers.get(key) ?? this.#findInserted(key);
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  numberOf(key: Key): number {
    const found = this.find(key);
    if (found !== 0) return found;
    const number = this.#next;
    this.#add(number, key);
    this.#lastKey = key;
    this.#lastNumber = number;
    return number;
  }

  keyOf(number: number): Key | undefined {
    this.#flush();
    const [row] = this.#file.db.values(`select key from ${this.#table} where number = ?`, number);
    return row && decodeKey(row[0] ?? null);
  }

  *numbers(): Generator<number> {
    for (let after = 0; ;) {
      this.#flush();
      const sql = `select number from ${this.#table} where number > ? order by number limit ${PAGE}`;
      const rows = this.#file.db.values(sql, after);
      if (rows.length === 0) return;
      for (const [number] of rows) yield (after = Number(number));
    }
  }

  release(number: number): void {
    this.#flush();
    if (number === this.#lastNumber) this.#lastNumber = 0;
    this.#file.db.run(`delete from ${this.#table} where number = ?`, number);
  }

  discard(): void {
    this.#file.db.exec(`drop table ${this.#table}`);
  }

  copyFrom(numbers: KeyNumbers): this {
    for (const number of numbers.numbers()) {
      const key = numbers.keyOf(number);
      if (key !== undefined) this.#add(number, key);
    }
    return this;
  }

  #findInserted(key: Key): number {
    return Number(this.#file.db.values(this.#selectNumber, hashKey(key), encodeKey(key))[0]?.[0] ?? 0);
  }

  #add(number: number, key: Key): void {
    this.#addedNumbers.set(key, number);
    this.#next = Math.max(this.#next, number + 1);
    this.#added.add(number, hashKey(key), encodeKey(key));
    if (this.#added.isEmpty) this.#addedNumbers.clear();
  }

  #flush(): void {
    this.#added.flush();
    this.#addedNumbers.clear();
  }
}

/** Begins the texts for keys that SQLite does not store unchanged. */
const ENCODED = "\0w";
const NAN = `${ENCODED}NaN`;

function encodeKey(key: Key): number | string {
  // Minus zero equals zero.
  if (typeof key === "number") return Number.isNaN(key) ? NAN : key + 0;
  return key.isWellFormed() && !key.startsWith(ENCODED) ? key : ENCODED + JSON.stringify(key);
}

function decodeKey(value: unknown): Key {
  if (value === NAN) return NaN;
  if (typeof value !== "string") return Number(value);
  return value.startsWith(ENCODED) ? (JSON.parse(value.slice(ENCODED.length)) as string) : value;
}

/** Which rows have which keys, in two tables of an index file. */
export class FileRowKeys implements RowKeys {
  readonly #file: IndexFile;
  readonly #byKey: string;
  readonly #byRow: string;
  readonly #selectRows: string;
  readonly #selectPairs: string;
  /** The key whose rows were listed last. */
  #lastListed = 0;
  readonly #addedByKey: RowBatch;
  readonly #addedByRow: RowBatch;
  readonly #lists = new RowLists();
  /** Rows above have no keys: the rows of a table are mostly added in order. */
  #highestRow = -1;
  size = 0;

  constructor(file: IndexFile) {
    this.#file = file;
    this.#byKey = file.newName("rows_by_key");
    this.#byRow = file.newName("keys_by_row");
    file.db.exec(`create table ${this.#byKey} (key integer, row integer, primary key (key, row)) without rowid;
      create table ${this.#byRow} (row integer, key integer, primary key (row, key)) without rowid`);
    this.#selectRows = `select row from ${this.#byKey} where key = ? order by row`;
    this.#selectPairs = `select key, row from ${this.#byKey} where key >= ? order by key, row limit ${ROWS_READ_AHEAD}`;
    this.#addedByKey = new RowBatch(file, this.#byKey, { columns: 2 });
    this.#addedByRow = new RowBatch(file, this.#byRow, { columns: 2 });
  }

  rowsOf(key: number): readonly number[] {
    const isInOrder = key === this.#lastListed + 1;
    this.#lastListed = key;
    const known = this.#lists.get(key) ?? (isInOrder ? this.#readAhead(key) : undefined);
    if (known) return known;
    const rows = this.#numbers(this.#selectRows, key);
    return rows.length === 0 ? NO_ROWS : this.#lists.add(key, rows);
  }

  /** Lists the rows of a key and the following ones; undefined when they are not read to the end. */
  #readAhead(key: number): readonly number[] | undefined {
    this.#flush();
    const pairs = this.#file.db.values(this.#selectPairs, key);
    const lists = new Map<number, number[]>();
    for (const [of, row] of pairs) {
      const list = lists.get(Number(of));
      if (list) list.push(Number(row));
      else lists.set(Number(of), [Number(row)]);
    }
    // More rows of the last key may follow.
    if (pairs.length === ROWS_READ_AHEAD) lists.delete(Number(pairs.at(-1)?.[0]));
    for (const [of, rows] of lists) {
      if (of !== key && !this.#lists.get(of)) this.#lists.add(of, rows);
    }
    const rows = lists.get(key);
    return rows && this.#lists.add(key, rows);
  }

  hasRows(key: number): boolean {
    return this.#numbers(`select 1 from ${this.#byKey} where key = ? limit 1`, key).length > 0;
  }

  keysOf(row: number): number[] {
    if (row > this.#highestRow) return [];
    return this.#numbers(`select key from ${this.#byRow} where row = ?`, row);
  }

  has(row: number, key: number): boolean {
    if (row > this.#highestRow) return false;
    return this.#numbers(`select 1 from ${this.#byRow} where row = ? and key = ?`, row, key).length > 0;
  }

  onlyKeyOf(row: number): number {
    if (row > this.#highestRow) return 0;
    const [first = 0, second] = this.#numbers(`select key from ${this.#byRow} where row = ? limit 2`, row);
    return second === undefined ? first : -1;
  }

  *rows(): Generator<number> {
    for (let after = -Infinity; ;) {
      const sql = `select distinct row from ${this.#byRow} where row > ? order by row limit ${PAGE}`;
      const rows = this.#numbers(sql, after);
      if (rows.length === 0) return;
      for (const row of rows) yield (after = row);
    }
  }

  add(row: number, key: number): void {
    this.#addedByKey.add(key, row);
    this.#addedByRow.add(row, key);
    if (row > this.#highestRow) this.#highestRow = row;
    this.size++;
    this.#lists.delete(key);
  }

  removeRow(row: number): void {
    const keys = this.keysOf(row);
    for (const key of keys) {
      this.#file.db.run(`delete from ${this.#byKey} where key = ? and row = ?`, key, row);
      this.#lists.delete(key);
    }
    if (keys.length > 0) this.#file.db.run(`delete from ${this.#byRow} where row = ?`, row);
    this.size -= keys.length;
  }

  dropLists(): void {
    this.#lists.clear();
  }

  discard(): void {
    this.#file.db.exec(`drop table ${this.#byKey}; drop table ${this.#byRow}`);
  }

  get bytes(): number {
    return this.#lists.bytes;
  }

  copyFrom(index: RowKeys): this {
    for (const row of index.rows()) {
      const only = index.onlyKeyOf(row);
      if (only > 0) this.add(row, only);
      else for (const key of index.keysOf(row)) this.add(row, key);
    }
    return this;
  }

  #numbers(sql: string, ...args: number[]): number[] {
    this.#flush();
    const numbers: number[] = [];
    for (const row of this.#file.db.values(sql, ...args)) numbers.push(Number(row[0]));
    return numbers;
  }

  #flush(): void {
    this.#addedByKey.flush();
    this.#addedByRow.flush();
  }
}

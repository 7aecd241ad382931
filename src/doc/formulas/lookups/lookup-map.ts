import type { CellValue } from "../../../values/cell.ts";
import { checkGroupsOfTable } from "../../limits.ts";
import { cellKey, combineKeys, type Key, type LookupKeyColumn, keysOfCell, joinKeys } from "./lookup-keys.ts";
import { LookupReader } from "./lookup-reader.ts";
import type { ColumnNode, TableNode } from "../nodes.ts";
import type { RowSelection } from "../pending-rows.ts";
import { FileKeyNumbers, FileRowKeys } from "./file-indexes.ts";
import type { KeyNumbers, RowKeys } from "./index-forms.ts";
import type { IndexFile } from "./index-file.ts";
import { MemoryKeyNumbers } from "./key-numbers.ts";
import { RowKeyIndex } from "./row-key-index.ts";
import { RowLists } from "./row-lists.ts";
import { RowSet } from "../row-set.ts";

/** Reads the current cell of a row; undefined when the row does not exist. */
export type ReadCell = (column: ColumnNode, row: number) => CellValue | undefined;

/** The rows that a map indexes. */
export interface MapSource {
  /** Visits all rows of the table in order, with their current cells in these columns. */
  readonly scan: (columns: readonly ColumnNode[], visit: (row: number, cells: readonly CellValue[]) => void) => void;
  readonly read: ReadCell;
  readonly hasRow: (row: number) => boolean;
}

/** The indexes of a map, which may move from memory to a file. */
interface MapStorage {
  numbers: KeyNumbers;
  rows: RowKeys;
}

const FULL_REFRESH_THRESHOLD = 20_000;

/** An index of the rows of a table by key columns: built in one pass, then updated incrementally. */
export class LookupMap {
  readonly table: TableNode;
  readonly columns: readonly LookupKeyColumn[];
  /** True for maps from rows to referring rows: these use pending cells as stored. */
  readonly isReverse: boolean;
  readonly readers = new Map<ColumnNode, LookupReader>();
  /** Called with the keys whose rows changed. */
  readonly watchers: ((changed: Iterable<Key>) => void)[] = [];
  readonly #storage: MapStorage = { numbers: new MemoryKeyNumbers(), rows: new RowKeyIndex() };
  /** Where its indexes are; null while they are in memory. */
  #file: IndexFile | null = null;
  /** Sorted rows by sort order, then by the number of the key. */
  readonly #orders = new Map<string, RowLists>();
  #stale: RowSet | "all" = "all";
  #isNew = true;
  /** Total number of keys of rows with multiple keys, which is limited. */
  #listKeyCount = 0;
  isRefreshing = false;

  constructor(table: TableNode, columns: readonly LookupKeyColumn[]) {
    this.table = table;
    this.columns = columns;
    this.isReverse = columns.some(({ by }) => by === "reference");
  }

  get isStale(): boolean {
    return this.#stale === "all" || this.#stale.size > 0;
  }

  /** Marks rows whose keys may have changed as stale. */
  invalidate(rows: RowSelection): void {
    if (rows === "all" || this.#stale === "all") {
      this.#stale = "all";
      return;
    }
    for (const row of rows) this.#stale.add(row);
    // Stale rows accumulate while the map is unused: rebuilding it is then faster.
    if (this.#stale.size > FULL_REFRESH_THRESHOLD && this.#stale.size * 4 > this.#storage.rows.size)
      this.#stale = "all";
  }

  readerFor(column: ColumnNode): LookupReader {
    let reader = this.readers.get(column);
    if (!reader) {
      const index = this.#file ? new FileRowKeys(this.#file) : new RowKeyIndex();
      reader = new LookupReader(column, { map: this.#storage, index, onUnused: (key) => this.#releaseUnused(key) });
      this.readers.set(column, reader);
    }
    return reader;
  }

  /** Returns the sorted rows with a key. Callers must not modify the list. */
  rowsOf(key: Key): readonly number[] {
    return this.#storage.rows.rowsOf(this.#storage.numbers.find(key));
  }

  hasKey(row: number, key: Key): boolean {
    return this.#storage.rows.has(row, this.#storage.numbers.find(key));
  }

  /** Returns the numbers of the keys of rows, for `LookupReader.rowsOf`. */
  keyNumbersOf(rows: readonly number[]): RowSet {
    const numbers = new RowSet();
    for (const row of rows) {
      const only = this.#storage.rows.onlyKeyOf(row);
      if (only > 0) numbers.add(only);
      else if (only < 0) for (const number of this.#storage.rows.keysOf(row)) numbers.add(number);
    }
    return numbers;
  }

  /** Returns all keys. */
  keys(): Key[] {
    const { numbers, rows } = this.#storage;
    return Array.from(numbers.numbers(), (number) => (rows.hasRows(number) ? numbers.keyOf(number) : undefined)).filter(
      (key) => key !== undefined,
    );
  }

  /** Returns the rows of a key in a sort order, computed by `sort` on a cache miss. */
  ordered(order: string, key: Key, sort: (rows: readonly number[]) => readonly number[]): readonly number[] {
    const number = this.#storage.numbers.find(key);
    let rows = this.#orders.get(order)?.get(number);
    if (!rows) {
      rows = sort(this.#storage.rows.rowsOf(number));
      const known = this.#orders.get(order) ?? new RowLists();
      this.#orders.set(order, known);
      known.add(number, rows);
    }
    return rows;
  }

  /** Drops cached sort orders that contain rows with a changed sort column. */
  invalidateOrders(rows: RowSelection): void {
    if (this.#orders.size === 0) return;
    if (rows === "all" || this.#stale === "all") return this.#dropOrders();
    this.#invalidateOrdersOf(this.keyNumbersOf(rows));
  }

  /** Drops lists that are made again when they are needed. */
  dropLists(): void {
    this.#dropOrders();
    this.#storage.rows.dropLists();
    for (const reader of this.readers.values()) reader.dropLists();
  }

  removeReader(column: ColumnNode): void {
    this.readers.get(column)?.discard();
    this.readers.delete(column);
  }

  /** Deletes its indexes. The map must not be used any more. */
  discard(): void {
    for (const reader of this.readers.values()) reader.discard();
    this.#storage.numbers.discard();
    this.#storage.rows.discard();
  }

  /** True while its indexes are in memory. */
  get isInMemory(): boolean {
    return this.#file === null;
  }

  /** Moves its indexes and those of its readers from memory to a file. */
  moveTo(file: IndexFile): void {
    this.#file = file;
    this.#storage.numbers = new FileKeyNumbers(file).copyFrom(this.#storage.numbers);
    this.#storage.rows = new FileRowKeys(file).copyFrom(this.#storage.rows);
    for (const reader of this.readers.values()) reader.moveTo(file);
  }

  /** Memory, including that of the readers. */
  get bytes(): number {
    let bytes = this.#storage.numbers.bytes + this.#storage.rows.bytes;
    for (const lists of this.#orders.values()) bytes += lists.bytes;
    for (const reader of this.readers.values()) bytes += reader.bytes;
    return bytes;
  }

  /** Updates stale rows. Returns the numbers of the keys whose rows changed, for `LookupReader.rowsOf`. */
  refresh(source: MapSource, isPending: (column: ColumnNode, row: number) => boolean): RowSet {
    const changed = new RowSet();
    if (!this.isStale) return changed;
    const stale = this.#stale;
    const isFirst = this.#isNew;
    this.#stale = new RowSet();
    this.#isNew = false;
    // No formula can have read a key before the first refresh.
    const update = new MapUpdate(this.#storage, isFirst ? null : changed);
    if (stale === "all") this.#refreshAll(update, source, { isFirst });
    else for (const row of stale) this.#refreshRow(update, row, this.#readKeys(row, source));
    if (this.isReverse) this.#keepPendingStale(stale, source, isPending);
    if (changed.size === 0) return changed;
    this.#invalidateOrdersOf(changed);
    if (this.watchers.length > 0) {
      const keys = Array.from(changed, (number) => this.#storage.numbers.keyOf(number)).filter(
        (key) => key !== undefined,
      );
      for (const watch of this.watchers) watch(keys);
    }
    return changed;
  }

  /** Call after the readers of changed keys were notified. */
  releaseUnused(changed: RowSet): void {
    for (const number of changed) this.#releaseUnused(number);
  }

  #refreshAll(update: MapUpdate, source: MapSource, { isFirst }: { isFirst: boolean }): void {
    const nodes = this.columns.flatMap(({ node }) => node ?? []);
    const visited = new RowSet();
    const find = this.#keyFinder();
    source.scan(nodes, (row, cells) => {
      if (!isFirst) visited.add(row);
      this.#refreshRow(update, row, find(row, cells));
    });
    if (isFirst) return;
    for (const row of this.#storage.rows.rows()) if (!visited.has(row)) this.#refreshRow(update, row, undefined);
  }

  #refreshRow(update: MapUpdate, row: number, keys: Key | readonly Key[] | undefined): void {
    const change = update.setKeys(row, keys);
    if (change === 0 || this.columns.length <= 1) return;
    this.#listKeyCount += change;
    checkGroupsOfTable(this.table.id, this.#listKeyCount);
  }

  /** Pending cells of a reverse map were used as stored, so their rows remain stale. */
  #keepPendingStale(
    stale: RowSet | "all",
    source: MapSource,
    isPending: (column: ColumnNode, row: number) => boolean,
  ): void {
    const nodes = this.columns.flatMap(({ node }) => node ?? []).filter((node) => !node.pending.isEmpty);
    if (nodes.length === 0) return;
    if (stale === "all" && nodes.some(({ pending }) => pending.isAll)) return this.invalidate("all");
    const rows = stale === "all" ? nodes.flatMap(({ pending }) => pending.rowsOf(() => [])) : stale;
    for (const row of rows) {
      if (nodes.some((node) => isPending(node, row)) && (stale !== "all" || source.hasRow(row))) this.invalidate([row]);
    }
  }

  /** Returns the keys of a row; undefined when the row does not exist. */
  #readKeys(row: number, { read, hasRow }: MapSource): Key | readonly Key[] | undefined {
    const cells: CellValue[] = [];
    if (this.columns.length === 0 && !hasRow(row)) return undefined;
    for (const { node } of this.columns) {
      const cell = node ? read(node, row) : hasRow(row) ? row : undefined;
      if (cell === undefined) return undefined;
      if (node) cells.push(cell);
    }
    return this.#keyFinder()(row, cells);
  }

  /** Returns a function that returns the keys of a row, given its cells in the columns that are not its id. */
  #keyFinder(): (row: number, cells: readonly CellValue[]) => Key | readonly Key[] {
    const { columns } = this;
    const [only] = columns;
    if (columns.length === 1 && only?.node && only.by === "whole") return (_, [cell = null]) => cellKey(cell);
    if (columns.length === 0) return () => joinKeys([]);
    return (row, cells) => {
      let at = 0;
      const keys = combineKeys(columns.map((column) => keysOfCell(column.node ? (cells[at++] ?? null) : row, column)));
      const [first] = keys;
      return keys.length === 1 && first !== undefined ? first : keys;
    };
  }

  #releaseUnused(number: number): void {
    if (this.#storage.rows.hasRows(number)) return;
    for (const reader of this.readers.values()) if (!reader.isUnused(number)) return;
    this.#invalidateOrdersOf([number]);
    this.#storage.numbers.release(number);
  }

  #invalidateOrdersOf(numbers: Iterable<number>): void {
    if (this.#orders.size === 0) return;
    for (const number of numbers) {
      for (const known of this.#orders.values()) known.delete(number);
    }
  }

  #dropOrders(): void {
    this.#orders.clear();
  }
}

/** Writes the keys of rows to an index and collects the numbers of changed keys. */
class MapUpdate {
  readonly #storage: MapStorage;
  readonly #changed: RowSet | null;

  constructor(storage: MapStorage, changed: RowSet | null) {
    this.#storage = storage;
    this.#changed = changed;
  }

  /**
   * Sets the keys of a row; undefined when it does not exist.
   * @returns the change in the number of keys of lists
   */
  setKeys(row: number, keys: Key | readonly Key[] | undefined): number {
    const { rows: index } = this.#storage;
    if (typeof keys === "string" || typeof keys === "number") {
      const number = this.#storage.numbers.numberOf(keys);
      const only = index.onlyKeyOf(row);
      if (only === number) return 0;
      const change = only === 0 ? 0 : this.#remove(row);
      this.#add(row, number);
      return change;
    }
    const before = index.keysOf(row);
    const after = new Set(keys?.map((each) => this.#storage.numbers.numberOf(each)));
    if (before.length === after.size && before.every((number) => after.has(number))) return 0;
    const change = this.#remove(row);
    for (const number of after) this.#add(row, number);
    return change + (after.size > 1 ? after.size : 0);
  }

  #add(row: number, number: number): void {
    this.#storage.rows.add(row, number);
    this.#changed?.add(number);
  }

  #remove(row: number): number {
    const before = this.#storage.rows.keysOf(row);
    if (before.length === 0) return 0;
    if (this.#changed) for (const number of before) this.#changed.add(number);
    this.#storage.rows.removeRow(row);
    return before.length > 1 ? -before.length : 0;
  }
}

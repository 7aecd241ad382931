import type { CellValue } from "../../values/cell.ts";
import { checkGroupsOfTable } from "../limits.ts";
import { combineKeys, type Key, type LookupKeyColumn, keysOfCell, joinKeys } from "./lookup-keys.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";
import { NO_ROWS, type RowSelection } from "./pending-rows.ts";

/** The keys that the rows of a formula column looked up. */
export class LookupReader {
  /** The formula column. */
  readonly column: ColumnNode;
  readonly #rowsByKey = new Map<Key, Set<number>>();
  /** By row: the keys looked up in the last evaluation, and its generation. */
  readonly #keys: (Key | Set<Key> | undefined)[] = [];
  readonly #generations: number[] = [];
  #hasMultipleKeys = false;

  constructor(column: ColumnNode) {
    this.column = column;
  }

  /** Records a lookup. A new `generation` (evaluation of the row) discards the keys of the previous one. */
  record(row: number, key: Key, generation: number): void {
    const previous = this.#keys[row];
    if (previous !== undefined && this.#generations[row] === generation) {
      if (previous === key) return;
      this.#hasMultipleKeys = true;
      if (!(previous instanceof Set)) this.#keys[row] = new Set([previous, key]);
      else if (previous.has(key)) return;
      else previous.add(key);
    } else {
      this.#generations[row] = generation;
      if (previous === key) return;
      if (previous !== undefined) this.#removeKeys(row, previous);
      this.#keys[row] = key;
    }
    const rows = this.#rowsByKey.get(key);
    if (rows) rows.add(row);
    else this.#rowsByKey.set(key, new Set([row]));
  }

  /** Removes the lookups of a removed row. */
  remove(row: number): void {
    const previous = this.#keys[row];
    if (previous === undefined) return;
    this.#keys[row] = undefined;
    this.#removeKeys(row, previous);
  }

  #removeKeys(row: number, keys: Key | Set<Key>): void {
    for (const key of keys instanceof Set ? keys : [keys]) {
      const rows = this.#rowsByKey.get(key);
      rows?.delete(row);
      if (rows?.size === 0) this.#rowsByKey.delete(key);
    }
  }

  rowsOf(keys: ReadonlySet<Key>): readonly number[] {
    const sets = Array.from(keys, (key) => this.#rowsByKey.get(key)).filter((rows) => rows !== undefined);
    // As long as each row looked up only one key, the sets are disjoint.
    if (!this.#hasMultipleKeys)
      return sets.length === 1 && sets[0] ? Array.from(sets[0]) : sets.flatMap((rows) => [...rows]);
    const found = new Set<number>();
    for (const rows of sets) for (const row of rows) found.add(row);
    return [...found];
  }
}

/** Reads the current cell of a row; undefined when the row does not exist. */
export type ReadCell = (column: ColumnNode, row: number) => CellValue | undefined;

interface MapSource {
  /** All rows of the table, in order. */
  readonly allRows: () => readonly number[];
  readonly read: ReadCell;
  readonly hasRow: (row: number) => boolean;
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
  readonly watchers: ((changed: ReadonlySet<Key>) => void)[] = [];
  /** Sorted row ids by key. The lists are immutable, because sets of records share them. */
  readonly #rows = new Map<Key, readonly number[]>();
  readonly #keys = new Map<number, Key | readonly Key[]>();
  /** Sorted rows by sort order, then by key. */
  readonly #orders = new Map<string, Map<Key, readonly number[]>>();
  #stale: Set<number> | "all" = "all";
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

  /** True until the map is first built. */
  get isNew(): boolean {
    return this.#stale === "all" && this.#keys.size === 0;
  }

  /** Marks rows whose keys may have changed as stale. */
  invalidate(rows: RowSelection): void {
    if (rows === "all" || this.#stale === "all") {
      this.#stale = "all";
      return;
    }
    for (const row of rows) this.#stale.add(row);
    // Stale rows accumulate while the map is unused: rebuilding it is then faster.
    if (this.#stale.size > FULL_REFRESH_THRESHOLD && this.#stale.size * 4 > this.#keys.size) this.#stale = "all";
  }

  readerFor(column: ColumnNode): LookupReader {
    let reader = this.readers.get(column);
    if (!reader) this.readers.set(column, (reader = new LookupReader(column)));
    return reader;
  }

  rowsOf(key: Key): readonly number[] {
    return this.#rows.get(key) ?? NO_ROWS;
  }

  keysOf(row: number): readonly Key[] {
    const keys = this.#keys.get(row);
    if (keys === undefined) return [];
    return typeof keys === "object" ? keys : [keys];
  }

  keys(): Iterable<Key> {
    return this.#rows.keys();
  }

  /** Returns the rows of a key in a sort order, computed by `sort` on a cache miss. */
  ordered(order: string, key: Key, sort: (rows: readonly number[]) => readonly number[]): readonly number[] {
    let known = this.#orders.get(order);
    if (!known) this.#orders.set(order, (known = new Map()));
    let rows = known.get(key);
    if (!rows) known.set(key, (rows = sort(this.rowsOf(key))));
    return rows;
  }

  /** Drops cached sort orders that contain rows with a changed sort column. */
  invalidateOrders(rows: RowSelection): void {
    if (rows === "all" || this.#stale === "all") return this.#orders.clear();
    for (const row of rows) this.#invalidateOrdersOf(this.keysOf(row));
  }

  /** Updates stale rows. Returns the keys whose rows changed. */
  refresh(source: MapSource, isPending: (column: ColumnNode, row: number) => boolean): Set<Key> {
    const changed = new Set<Key>();
    if (!this.isStale) return changed;
    const stale = this.#stale === "all" ? new Set(source.allRows()) : this.#stale;
    if (this.#stale === "all") for (const row of this.#keys.keys()) stale.add(row);
    this.#stale = new Set();
    const added = new Map<Key, number[]>();
    const removed = new Map<Key, Set<number>>();
    for (const row of stale) {
      const isUnresolved =
        this.isReverse && this.columns.some(({ node }) => node !== undefined && isPending(node, row));
      if (isUnresolved) this.invalidate([row]);
      const after = this.#findKeys(row, source);
      const before = this.#keys.get(row);
      if (before === after || (before !== undefined && after !== undefined && sameKeys(before, after))) continue;
      if (this.columns.length > 1) this.#countLists(before, after);
      for (const key of listOf(before)) (removed.get(key) ?? put(removed, key, new Set<number>())).add(row);
      for (const key of listOf(after)) (added.get(key) ?? put(added, key, [])).push(row);
      if (after === undefined) this.#keys.delete(row);
      else this.#keys.set(row, after);
    }
    for (const key of new Set([...removed.keys(), ...added.keys()])) {
      this.#rows.set(key, merged(this.rowsOf(key), removed.get(key), added.get(key) ?? []));
      if (this.#rows.get(key)?.length === 0) this.#rows.delete(key);
      changed.add(key);
    }
    this.#invalidateOrdersOf(changed);
    return changed;
  }

  #countLists(before: Key | readonly Key[] | undefined, after: Key | readonly Key[] | undefined): void {
    const count = (keys: typeof after) => (typeof keys === "object" ? keys.length : 0);
    this.#listKeyCount += count(after) - count(before);
    checkGroupsOfTable(this.table.id, this.#listKeyCount);
  }

  /** Returns the keys of a row; undefined when the row does not exist. */
  #findKeys(row: number, { read, hasRow }: MapSource): Key | readonly Key[] | undefined {
    const parts: (readonly Key[])[] = [];
    if (this.columns.length === 0) return hasRow(row) ? joinKeys([]) : undefined;
    for (const column of this.columns) {
      const cell = column.node ? read(column.node, row) : hasRow(row) ? row : undefined;
      if (cell === undefined) return undefined;
      parts.push(keysOfCell(cell, column));
    }
    const keys = combineKeys(parts);
    const [only] = keys;
    return keys.length === 1 && only !== undefined ? only : keys;
  }

  #invalidateOrdersOf(keys: Iterable<Key>): void {
    if (this.#orders.size === 0) return;
    for (const key of keys) for (const known of this.#orders.values()) known.delete(key);
  }
}

const listOf = (keys: Key | readonly Key[] | undefined): readonly Key[] =>
  keys === undefined ? [] : typeof keys === "object" ? keys : [keys];

function sameKeys(a: Key | readonly Key[], b: Key | readonly Key[]): boolean {
  const [x, y] = [listOf(a), listOf(b)];
  return x.length === y.length && x.every((key, i) => key === y[i]);
}

function put<K, V>(map: Map<K, V>, key: K, value: V): V {
  map.set(key, value);
  return value;
}

/** Returns the sorted rows after removals and additions. */
function merged(
  rows: readonly number[],
  removed: ReadonlySet<number> | undefined,
  added: readonly number[],
): readonly number[] {
  const remaining = removed ? rows.filter((row) => !removed.has(row)) : rows;
  if (added.length === 0) return remaining;
  const more = added.toSorted((a, b) => a - b);
  const last = remaining.at(-1);
  if (last === undefined) return more;
  if (last < (more[0] ?? 0)) return [...remaining, ...more];
  return [...remaining, ...more].toSorted((a, b) => a - b);
}

import { keyColumnsId, type LookupKeyColumn } from "./lookup-keys.ts";
import type { IndexFile } from "./index-file.ts";
import { LookupMap } from "./lookup-map.ts";
import type { ColumnNode, TableNode } from "../nodes.ts";
import type { RowSelection } from "../pending-rows.ts";

/** The lookup maps of a document, and which of them are stale. */
export class LookupMaps {
  /** By table and key columns. */
  readonly #maps = new Map<TableNode, Map<string, LookupMap>>();
  readonly #byKeyColumn = new Map<ColumnNode, Set<LookupMap>>();
  /** By the columns of their cached sort orders. */
  readonly #byOrderColumn = new Map<ColumnNode, Set<LookupMap>>();
  readonly #stale = new Set<LookupMap>();

  /** Returns the map of a table by key columns, created on first use. */
  find(table: TableNode, columns: readonly LookupKeyColumn[]): LookupMap {
    const text = keyColumnsId(columns);
    const maps = this.#maps.get(table) ?? new Map<string, LookupMap>();
    this.#maps.set(table, maps);
    let map = maps.get(text);
    if (!map) {
      maps.set(text, (map = new LookupMap(table, columns)));
      for (const { node } of columns) if (node) addTo(this.#byKeyColumn, node, map);
    }
    return map;
  }

  registerOrder(map: LookupMap, column: ColumnNode): void {
    addTo(this.#byOrderColumn, column, map);
  }

  /** Returns true when the formula of a column looks up rows by the key column. */
  isKeyFor(key: ColumnNode, column: ColumnNode): boolean {
    for (const map of this.#byKeyColumn.get(key) ?? []) if (map.readers.has(column)) return true;
    return false;
  }

  /** Marks what depends on cells of a column as stale. */
  onCellsChanged(column: ColumnNode, rows: RowSelection): void {
    for (const map of this.#byKeyColumn.get(column) ?? []) this.#invalidate(map, rows);
    for (const map of this.#byOrderColumn.get(column) ?? []) map.invalidateOrders(rows);
  }

  /** Marks what depends on the rows that a table has as stale. */
  onRowsChanged(table: TableNode, rows: readonly number[]): void {
    for (const map of this.#maps.get(table)?.values() ?? []) this.#invalidate(map, rows);
    for (const column of table.columns.values()) {
      for (const map of this.#byOrderColumn.get(column) ?? []) map.invalidateOrders(rows);
    }
  }

  /** Call after a map was refreshed. */
  markRefreshed(map: LookupMap): void {
    if (!map.isStale) this.#stale.delete(map);
  }

  /** Returns the stale maps whose changes have to be reported to readers. */
  staleMaps(): LookupMap[] {
    for (const map of this.#stale) {
      if (map.isReverse || (map.readers.size === 0 && map.watchers.length === 0)) this.#stale.delete(map);
    }
    return [...this.#stale];
  }

  /** Drops lists that are made again when they are needed. */
  dropLists(): void {
    for (const map of this.#all()) map.dropLists();
  }

  /** Moves the largest maps from memory to a file until the others take at most `maxBytes`. */
  moveToFile(file: IndexFile, maxBytes: number): void {
    let total = this.bytes;
    if (total <= maxBytes) return;
    const inMemory = [...this.#all()].filter((map) => map.isInMemory);
    for (const map of inMemory.toSorted((a, b) => b.bytes - a.bytes)) {
      if (total <= maxBytes) return;
      total -= map.bytes;
      map.moveTo(file);
      total += map.bytes;
    }
  }

  /**
   * Removes the largest maps until the others take at most `maxBytes`. Maps that summaries watch remain.
   * @returns the removed maps
   */
  shrinkTo(maxBytes: number): LookupMap[] {
    const sizes = Array.from(this.#all(), (map) => ({ map, bytes: map.bytes }));
    let total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    const removed: LookupMap[] = [];
    for (const { map, bytes } of sizes.toSorted((a, b) => b.bytes - a.bytes)) {
      if (total <= maxBytes) break;
      if (map.watchers.length > 0) continue;
      this.#remove(map);
      map.discard();
      removed.push(map);
      total -= bytes;
    }
    return removed;
  }

  /** Memory of all maps. */
  get bytes(): number {
    let bytes = 0;
    for (const map of this.#all()) bytes += map.bytes;
    return bytes;
  }

  #remove(map: LookupMap): void {
    this.#maps.get(map.table)?.delete(keyColumnsId(map.columns));
    this.#stale.delete(map);
    for (const sets of [this.#byKeyColumn, this.#byOrderColumn]) for (const maps of sets.values()) maps.delete(map);
  }

  /** Removes what a formula column looked up. */
  removeReader(column: ColumnNode): void {
    for (const map of this.#all()) map.removeReader(column);
  }

  *#all(): Generator<LookupMap> {
    for (const maps of this.#maps.values()) yield* maps.values();
  }

  #invalidate(map: LookupMap, rows: RowSelection): void {
    map.invalidate(rows);
    this.#stale.add(map);
  }
}

function addTo(sets: Map<ColumnNode, Set<LookupMap>>, column: ColumnNode, map: LookupMap): void {
  const set = sets.get(column) ?? new Set();
  sets.set(column, set.add(map));
}

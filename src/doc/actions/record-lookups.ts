import type { Database } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import type { IndexSource } from "../indexes/index-source.ts";
import type { CatalogColumn } from "./catalog.ts";
import { isMetadataTable } from "./doc-action.ts";
import { existingIds, readRows } from "./row-storage.ts";

/** The data source of lookups, with table versions for cache invalidation. */
export interface LookupContext {
  readonly db: Database;
  versionOf(table: string): number;
  readonly document: { readonly indexes: Pick<IndexSource, "findRows"> };
}

/** A table with a map of a column is not searched with an index: many lookups in one change need a map. */
const MAX_INDEX_LOOKUPS = 50;

/** Finds records by the value of a column. Caches an index per column until the table is written to. */
export class RecordLookups {
  readonly #source: LookupContext;
  #indexLookups = 0;
  readonly #firstMaps = new Map<string, { version: number; firstWith: Map<string, number> }>();
  readonly #allMaps = new Map<string, { version: number; allWith: Map<string, number[]> }>();

  constructor(source: LookupContext) {
    this.#source = source;
  }

  /** Returns the lowest id of a record with this value; undefined when none exists. */
  first(table: string, column: CatalogColumn, value: CellValue): number | undefined {
    const found = this.#firstByIndex(table, column, value);
    return found === null ? this.#map(table, column).get(lookupKey(value)) : found;
  }

  /** Returns the same as `first`; null without an index. */
  #firstByIndex(table: string, column: CatalogColumn, value: CellValue): number | undefined | null {
    if (!column.isStored || isMetadataTable(table) || this.#indexLookups >= MAX_INDEX_LOOKUPS) return null;
    const candidates = this.#source.document.indexes.findRows(table, { id: column.id, type: column.kind }, [value]);
    if (!candidates) return null;
    this.#indexLookups++;
    const { ids, cells } = readRows(this.#source.db, table, [column], candidates);
    const key = lookupKey(value);
    return ids.find((_, r) => lookupKey(cells[0]?.[r] ?? null) === key);
  }

  /** Like `first`, but only for records that `accepts` allows: for callers who cannot read all records. */
  firstAccepted(
    table: string,
    column: CatalogColumn,
    { value, accepts }: { value: CellValue; accepts: (id: number) => boolean },
  ): number | undefined {
    return this.#list(table, column).get(lookupKey(value))?.find(accepts);
  }

  hasRow(table: string, id: number): boolean {
    return Number.isSafeInteger(id) && id > 0 && existingIds(this.#source.db, table, [id]).size > 0;
  }

  #map(table: string, column: CatalogColumn): Map<string, number> {
    const version = this.#source.versionOf(table);
    const key = `${table} ${column.id}`;
    const cached = this.#firstMaps.get(key);
    if (cached?.version === version) return cached.firstWith;
    const firstWith = new Map<string, number>();
    const { ids, cells } = readRows(this.#source.db, table, [column]);
    for (const [r, id] of ids.entries()) {
      const cell = lookupKey(cells[0]?.[r] ?? null);
      if (!firstWith.has(cell)) firstWith.set(cell, id);
    }
    this.#firstMaps.set(key, { version, firstWith });
    return firstWith;
  }

  #list(table: string, column: CatalogColumn): Map<string, number[]> {
    const version = this.#source.versionOf(table);
    const key = `${table} ${column.id}`;
    const cached = this.#allMaps.get(key);
    if (cached?.version === version) return cached.allWith;
    const { ids, cells } = readRows(this.#source.db, table, [column]);
    const allWith = Map.groupBy(ids.keys(), (r) => lookupKey(cells[0]?.[r] ?? null));
    const lists = new Map([...allWith].map(([cell, places]) => [cell, places.map((r) => ids[r] ?? 0)]));
    this.#allMaps.set(key, { version, allWith: lists });
    return lists;
  }
}

/** Returns equal keys for equal cells: booleans equal the numbers 0 and 1, all other values are compared exactly. */
export function lookupKey(value: CellValue): string {
  if (typeof value === "string") return `"${value}`;
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return String(Number(value));
  return value === null ? "null" : JSON.stringify(value);
}

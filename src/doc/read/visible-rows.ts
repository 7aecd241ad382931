import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { marshal } from "../../values/marshal.ts";
import type { ReadConnection } from "../cursors.ts";
import type { RowCells, RowAccess, RowView } from "../rules/access-types.ts";
import { storedFieldIds } from "./cell-format.ts";
import type { ReadTable } from "./read-table.ts";

/** The stored form of a censored cell, used for display and sorting. */
const CENSORED_CELL: SqlValue = marshal([CELL_CODES.censored]);

/** Row-level restrictions of a caller. */
export interface RestrictedRows {
  /** The table with all its columns: rules may read columns that the caller does not see. */
  readonly table: ReadTable;
  readonly access: RowAccess;
}

export interface VisibleRowsOptions extends RestrictedRows {
  /** Columns that a filter reads: a row must not match by a censored cell. */
  readonly filtered: readonly string[];
}

/**
 * Creates the row filter of a table; null when all rows are fully visible.
 * @param filtered columns that a filter reads
 */
export const createVisibleRows = (rows: RestrictedRows | null, filtered: readonly string[] = []): VisibleRows | null =>
  rows && new VisibleRows({ ...rows, filtered });

/** The columns of a row after the id: first the displayed ones, then those read only by rules. */
interface ScanColumns {
  readonly shown: readonly string[];
  readonly needed: readonly string[];
}

/** The visibility of a table's rows for one caller, in one request. */
export class VisibleRows {
  readonly #options: VisibleRowsOptions;
  readonly #viewCache: ScanViewCache | null;
  readonly #filtered: readonly string[];

  constructor(options: VisibleRowsOptions, viewCache: ScanViewCache | null = null) {
    this.#options = options;
    this.#viewCache = viewCache;
    this.#filtered = options.filtered;
  }

  /** Returns the stored columns that rules read in addition to the given ones. */
  additionalColumns(columns: readonly string[]): string[] {
    const { table, access } = this.#options;
    const read = new Set(columns);
    return storedFieldIds(access.columns.flatMap((id) => table.fieldById.get(id) ?? [])).filter((id) => !read.has(id));
  }

  /** Returns a copy with a view cache, for reading the same rows in the same order several times. */
  withViewCache(): VisibleRows {
    return new VisibleRows(this.#options, new ScanViewCache());
  }

  /** Creates a function that drops hidden rows and replaces censored cells. */
  createRowFilter({ shown, needed }: ScanColumns, source: ReadConnection): (rows: SqlValue[][]) => SqlValue[][] {
    const { table, access } = this.#options;
    const row = new StoredRowCells(table, [...shown, ...needed]);
    // A sort may name a column twice.
    const indexesByColumn = Map.groupBy(shown.keys(), (at) => shown[at]);
    let read = 0;
    return (rows) =>
      rows.filter((stored) => {
        const at = read++;
        const view = this.#viewCache?.find(at) ?? access.view(row.cellsOf(stored), source.db);
        this.#viewCache?.add(at, view);
        if (view === "whole") return true;
        if (view === "hidden") return false;
        for (const id of view) {
          for (const columnIndex of indexesByColumn.get(id) ?? []) stored[columnIndex + 1] = CENSORED_CELL;
        }
        return !this.#filtered.some((id) => view.has(id));
      });
  }
}

/** The maximum number of distinct views; rules produce only a few. */
const MAX_VIEWS = 2 ** 16;

/** Caches row views by the index in reading order: two bytes a row. */
class ScanViewCache {
  readonly #views: RowView[] = [];
  readonly #codes = new Map<RowView, number>();
  #rows = new Uint16Array(4096);
  #count = 0;

  find(at: number): RowView | undefined {
    return at < this.#count ? this.#views[this.#rows[at] ?? 0] : undefined;
  }

  /** Only the next index is appended; earlier ones are cached already, later ones cannot be cached. */
  add(at: number, view: RowView): void {
    if (at !== this.#count) return;
    let code = this.#codes.get(view);
    if (code === undefined) {
      if (this.#views.length >= MAX_VIEWS) return;
      code = this.#views.push(view) - 1;
      this.#codes.set(view, code);
    }
    if (at >= this.#rows.length) {
      const longer = new Uint16Array(this.#rows.length * 2);
      longer.set(this.#rows);
      this.#rows = longer;
    }
    this.#rows[at] = code;
    this.#count++;
  }
}

/** A row as rules read its cells; the object is reused for consecutive rows. */
class StoredRowCells {
  #stored: readonly SqlValue[] = [];
  readonly #read: RowCells;

  constructor({ fields }: ReadTable, columns: readonly string[]) {
    const places = new Map(columns.map((id, at) => [id, at + 1]));
    const readers = new Map<string, () => CellValue | undefined>([["id", () => Number(this.#stored[0])]]);
    for (const { id, type, absent } of fields) {
      const place = places.get(id);
      if (absent !== undefined) readers.set(id, () => absent);
      else if (place !== undefined) readers.set(id, () => type.decode(this.#stored[place] ?? null));
    }
    this.#read = (id) => readers.get(id)?.();
  }

  cellsOf(stored: readonly SqlValue[]): RowCells {
    this.#stored = stored;
    return this.#read;
  }
}

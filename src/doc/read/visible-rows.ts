import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { marshal } from "../../values/marshal.ts";
import type { ReadConnection } from "../cursors.ts";
import type { RowCells, RowAccess, RowView } from "../rules/access-types.ts";
import { storedFieldIds } from "./cell-format.ts";
import type { ReadTable } from "./read-table.ts";

/** How a cell that is kept from the caller would lie in the file: it is shown and sorted as such a cell is. */
const CENSORED_CELL: SqlValue = marshal([CELL_CODES.censored]);

/** What tells how much of each row somebody sees. */
export interface RestrictedRows {
  /** With all its columns: rules may look at those that the caller does not see. */
  readonly table: ReadTable;
  readonly access: RowAccess;
}

export interface VisibleRowsOptions extends RestrictedRows {
  /** Columns that a filter looks at: a row is not found by a cell that is not seen. */
  readonly filtered: readonly string[];
}

/**
 * What is to be asked about each row of a table; null when all of every row is seen.
 * @param filtered columns that a filter looks at
 */
export const createVisibleRows = (rows: RestrictedRows | null, filtered: readonly string[] = []): VisibleRows | null =>
  rows && new VisibleRows({ ...rows, filtered });

/** Which columns stand in a row after the id: first what is to be shown, then what only rules look at. */
interface ScanColumns {
  readonly shown: readonly string[];
  readonly needed: readonly string[];
}

/** What one caller sees of the rows of a table, in one request. */
export class VisibleRows {
  readonly #options: VisibleRowsOptions;
  readonly #viewCache: ScanViewCache | null;
  readonly #filtered: readonly string[];

  constructor(options: VisibleRowsOptions, viewCache: ScanViewCache | null = null) {
    this.#options = options;
    this.#viewCache = viewCache;
    this.#filtered = options.filtered;
  }

  /** The columns of the file that rules look at, besides those that are read anyway. */
  additionalColumns(columns: readonly string[]): string[] {
    const { table, access } = this.#options;
    const read = new Set(columns);
    return storedFieldIds(access.columns.flatMap((id) => table.fieldById.get(id) ?? [])).filter((id) => !read.has(id));
  }

  /** The same, for whoever reads the same rows in the same order several times. */
  withViewCache(): VisibleRows {
    return new VisibleRows(this.#options, new ScanViewCache());
  }

  /** Makes what leaves out hidden rows, and changes the others so that their censored cells are. */
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

/** How many different views are told apart: there are as many as the rules make, and those are few. */
const MAX_VIEWS = 2 ** 16;

/** What is seen of rows, by their place in the order in which they are read: two bytes a row. */
class ScanViewCache {
  readonly #views: RowView[] = [];
  readonly #codes = new Map<RowView, number>();
  #rows = new Uint16Array(4096);
  #count = 0;

  find(at: number): RowView | undefined {
    return at < this.#count ? this.#views[this.#rows[at] ?? 0] : undefined;
  }

  /** What does not follow on the last one is known already, or cannot be remembered. */
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

/** A row in the form in which rules ask for its cells; the same object for one row after the other. */
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

import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, CELL_CODES } from "../../values/cell.ts";
import { marshal } from "../../values/marshal.ts";
import type { ReadConnection } from "../cursors.ts";
import type { SqlCondition } from "../filters/sql-condition.ts";
import type { RowTest } from "../filters/row-test.ts";
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
  /** Returns the condition that exactly the visible rows satisfy, if they are visible as a whole; else null. */
  whole(): SqlCondition | null;
}

interface VisibleRowsOptions {
  /** The table as the caller sees it. */
  readonly table: ReadTable;
  readonly restricted: RestrictedRows | null;
  /** Decides about rows by the cells that the caller sees. */
  readonly test: RowTest | null;
}

/** Creates the row filter of a table; null when all rows are fully visible, and none is tested. */
export const createVisibleRows = (
  { table, rows: restricted }: { table: ReadTable; rows: RestrictedRows | null },
  test?: RowTest | null,
): VisibleRows | null => (restricted || test ? new VisibleRows({ table, restricted, test: test ?? null }) : null);

/** The columns of a row after the id: first the displayed ones, then those read only by rules. */
interface ScanColumns {
  readonly shown: readonly string[];
  readonly needed: readonly string[];
}

/** The visibility of a table's rows for one caller, in one request. */
export class VisibleRows {
  readonly #options: VisibleRowsOptions;
  readonly #viewCache: ScanViewCache | null;

  constructor(options: VisibleRowsOptions, viewCache: ScanViewCache | null = null) {
    this.#options = options;
    this.#viewCache = viewCache;
  }

  /** Distinguishes row filters of the same caller and table in the same state of the document. */
  get key(): string {
    return this.#options.test?.key ?? "";
  }

  /** Returns the stored columns that rules and the test of rows read in addition to the given ones. */
  additionalColumns(columns: readonly string[]): string[] {
    const { restricted, test } = this.#options;
    const read = new Set(columns);
    const byRules = restricted?.access.columns.flatMap((id) => restricted.table.fieldById.get(id) ?? []) ?? [];
    const needed = new Set([...storedFieldIds(byRules), ...(test?.columns ?? [])]);
    return [...needed].filter((id) => !read.has(id));
  }

  /** Returns a copy with a view cache, for reading the same rows in the same order several times. */
  withViewCache(): VisibleRows {
    return new VisibleRows(this.#options, new ScanViewCache());
  }

  /** Creates a function that drops hidden rows and replaces censored cells. */
  createRowFilter({ shown, needed }: ScanColumns, source: ReadConnection): (rows: SqlValue[][]) => SqlValue[][] {
    const viewOf = this.#createViewer([...shown, ...needed], source);
    const passes = this.#createTest([...shown, ...needed]);
    // A sort may name a column twice.
    const indexesByColumn = Map.groupBy(shown.keys(), (at) => shown[at]);
    const filterRows = (rows: SqlValue[][]): SqlValue[][] =>
      rows.filter((stored) => {
        const view = viewOf(stored);
        if (view === "hidden" || !passes(stored, view)) return false;
        if (view === "whole") return true;
        for (const id of view) {
          for (const columnIndex of indexesByColumn.get(id) ?? []) stored[columnIndex + 1] = CENSORED_CELL;
        }
        return true;
      });
    const budget = this.#options.test?.budget;
    return budget ? (rows) => budget.spend(() => filterRows(rows)) : filterRows;
  }

  #createViewer(columns: readonly string[], source: ReadConnection): (stored: readonly SqlValue[]) => RowView {
    const { restricted } = this.#options;
    if (!restricted) return () => "whole";
    const { table, access } = restricted;
    const row = new StoredRowCells(table, { columns, decode: "shown" });
    let read = 0;
    return (stored) => {
      const at = read++;
      const view = this.#viewCache?.find(at) ?? access.view(row.cellsOf(stored), source.db);
      this.#viewCache?.add(at, view);
      return view;
    };
  }

  #createTest(columns: readonly string[]): (stored: readonly SqlValue[], view: RowView) => boolean {
    const { table, test } = this.#options;
    if (!test) return () => true;
    const row = new StoredRowCells(table, { columns, decode: "raw" });
    let hidden: ReadonlySet<string> = NO_COLUMNS;
    let read: RowCells = row.cellsOf([]);
    const visible = (id: string): CellValue | undefined => (hidden.has(id) ? undefined : read(id));
    return (stored, view) => {
      hidden = typeof view === "string" ? NO_COLUMNS : view;
      if (test.isExact && !test.columns.some((id) => hidden.has(id))) return true;
      test.budget.countRow();
      read = row.cellsOf(stored);
      return test.matches(visible);
    };
  }
}

const NO_COLUMNS: ReadonlySet<string> = new Set();

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

/** A row as rules and filters read its cells; the object is reused for consecutive rows. */
class StoredRowCells {
  #stored: readonly SqlValue[] = [];
  readonly #read: RowCells;

  /** @param decode `shown`: as `ColumnType.decode`, `raw`: as `decodeRaw` */
  constructor({ fields }: ReadTable, { columns, decode }: { columns: readonly string[]; decode: "shown" | "raw" }) {
    const places = new Map(columns.map((id, at) => [id, at + 1]));
    const readers = new Map<string, () => CellValue | undefined>([["id", () => Number(this.#stored[0])]]);
    for (const { id, type, absent } of fields) {
      const place = places.get(id);
      if (absent !== undefined) readers.set(id, () => absent);
      else if (place === undefined) continue;
      else if (decode === "raw") readers.set(id, () => type.decodeRaw(this.#stored[place] ?? null));
      else readers.set(id, () => type.decode(this.#stored[place] ?? null));
    }
    this.#read = (id) => readers.get(id)?.();
  }

  cellsOf(stored: readonly SqlValue[]): RowCells {
    this.#stored = stored;
    return this.#read;
  }
}

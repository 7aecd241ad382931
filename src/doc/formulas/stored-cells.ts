import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { highestId, readRows } from "../actions/row-storage.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** Marks a cell that was written after the column was loaded. */
const STALE = Symbol("stale");

/** Maximum number of cached cells of all columns; when exceeded, the cache is cleared at the end of a change. */
const MAX_CELLS = 2_000_000;
/** Number of single reads after which the whole column is loaded. */
const SINGLE_READ_LIMIT = 200;

interface LoadedColumn {
  /** Sparse array by row id. */
  readonly cells: (CellValue | typeof STALE | undefined)[];
  count: number;
  stale: number;
}

/**
 * Cache of stored cells for formulas. Reads single cells, or loads whole columns when many are needed. A column is
 * evicted when too many of its cells become stale.
 */
export class StoredCells {
  readonly #db: Database;
  readonly #loaded = new Map<ColumnNode, LoadedColumn>();
  readonly #singles = new Map<ColumnNode, { count: number; limit: number }>();
  #total = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Returns the cell of a row; undefined when the row does not exist. */
  get(column: ColumnNode, id: number): CellValue | undefined {
    const loaded = this.#loaded.get(column);
    if (!loaded) return this.#single(column, id);
    const cell = loaded.cells[id];
    if (cell !== STALE) return cell;
    const value = this.#read(column, id);
    loaded.cells[id] = value;
    loaded.stale--;
    return value;
  }

  /** Loads whole columns of a table in one query, unless they are cached. */
  load(table: TableNode, columns: Iterable<ColumnNode>): void {
    const missing = [...columns].filter((column) => !this.#loaded.has(column) && column.column.isStored);
    if (missing.length === 0 || !table.stored) return;
    const { ids, cells } = readRows(
      this.#db,
      table.id,
      missing.map(({ column }) => column),
    );
    for (const [c, column] of missing.entries()) {
      const columnCells = cells[c] ?? [];
      const byId: LoadedColumn["cells"] = [];
      for (let r = 0; r < ids.length; r++) byId[ids[r] ?? 0] = columnCells[r] ?? null;
      this.#loaded.set(column, { cells: byId, count: ids.length, stale: 0 });
      this.#total += ids.length;
    }
  }

  /** Marks cells of written, added or removed rows as stale. */
  markStale(column: ColumnNode, ids: readonly number[]): void {
    const loaded = this.#loaded.get(column);
    if (!loaded) return;
    loaded.stale += ids.length;
    if (loaded.stale > SINGLE_READ_LIMIT && loaded.stale * 4 > loaded.count) return this.evict(column);
    for (const id of ids) loaded.cells[id] = STALE;
  }

  evict(column: ColumnNode): void {
    const loaded = this.#loaded.get(column);
    if (!loaded) return;
    this.#total -= loaded.count;
    this.#loaded.delete(column);
  }

  /** Enforces the cache limit at the end of a change. */
  trim(): void {
    this.#singles.clear();
    if (this.#total > MAX_CELLS) this.clear();
  }

  clear(): void {
    this.#loaded.clear();
    this.#total = 0;
  }

  #single(column: ColumnNode, id: number): CellValue | undefined {
    const { table } = column;
    if (!table.stored) return undefined;
    let singles = this.#singles.get(column);
    if (!singles) {
      singles = { count: 0, limit: Math.max(SINGLE_READ_LIMIT, highestId(this.#db, table.id) / 64) };
      this.#singles.set(column, singles);
    }
    if (++singles.count <= singles.limit || !column.column.isStored) return this.#read(column, id);
    this.load(table, [column]);
    return this.get(column, id);
  }

  #read({ table, id: name, kind, column }: ColumnNode, id: number): CellValue | undefined {
    const selected = column.isStored ? quote(name) : "null";
    const [row] = this.#db.values(`select ${selected} from ${quote(table.id)} where id = ?`, id);
    if (!row) return undefined;
    return column.isStored ? kind.decodeRaw(row[0] ?? null) : kind.defaultValue;
  }
}

import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { highestId, readRows } from "../actions/row-storage.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** Stands for a cell that was written since the column was read. */
const STALE = Symbol("stale");

/** Cells that are held in memory at most, over all columns; beyond, all are dropped when a change is complete. */
const MAX_CELLS = 2_000_000;
/** Single cells of a column that are read one by one before it is worth reading the whole column. */
const SINGLE_READ_LIMIT = 200;

interface LoadedColumn {
  /** By row id; empty where there is no row. */
  readonly cells: (CellValue | typeof STALE | undefined)[];
  count: number;
  stale: number;
}

/**
 * The cells that lie in the file, for formulas: some read one by one, and whole columns where many are needed, which
 * are kept until they are written too much.
 */
export class StoredCells {
  readonly #db: Database;
  readonly #loaded = new Map<ColumnNode, LoadedColumn>();
  readonly #singles = new Map<ColumnNode, { count: number; limit: number }>();
  #total = 0;

  constructor(db: Database) {
    this.#db = db;
  }

  /** The cell of a row; undefined when there is no such row. */
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

  /** Reads these columns of a table as a whole, in one pass, unless they are there. */
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

  /** To be told of rows that were written, added or removed. */
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

  /** To be called when a change is complete: holds no more than it may. */
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
    const wanted = column.isStored ? quote(name) : "null";
    const [row] = this.#db.values(`select ${wanted} from ${quote(table.id)} where id = ?`, id);
    if (!row) return undefined;
    return column.isStored ? kind.decodeRaw(row[0] ?? null) : kind.defaultValue;
  }
}

import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { highestId } from "../actions/row-storage.ts";
import type { CellBlock } from "./cell-block.ts";
import type { ColumnNode, TableNode } from "./nodes.ts";

/** Marks a cell that was written after its page was read. */
const STALE = Symbol("stale");

/** Consecutive row ids that are read together. */
const PAGE_ROWS = 256;
/** Number of single reads of a column after which whole pages are read. */
const SINGLE_READ_LIMIT = 200;
/** Number of stale cells after which a page is read again. */
const MAX_STALE_CELLS = 32;
/** Estimated memory of a cell, without the characters of a text. */
const CELL_BYTES = 8;
const TEXT_BYTES = 40;

interface Page {
  /** By position in the page; undefined for missing rows. */
  readonly cells: (CellValue | typeof STALE | undefined)[];
  readonly bytes: number;
  stale: number;
}

/**
 * Cache of stored cells for formulas. Reads single cells, or pages of rows when many are needed. While a block of rows
 * is computed, its cells come from the block.
 */
export class StoredCells {
  readonly #db: Database;
  readonly #maxBytes: number;
  /** By column and index of the page, oldest first. */
  readonly #pages = new Map<ColumnNode, Map<number, Page>>();
  readonly #singles = new Map<ColumnNode, { count: number; limit: number }>();
  /** The blocks that are being computed, innermost last. */
  readonly #blocks: CellBlock[] = [];
  #bytes = 0;

  constructor(db: Database, { maxBytes }: { maxBytes: number }) {
    this.#db = db;
    this.#maxBytes = maxBytes;
  }

  /** Estimated memory. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Runs `work` with the cells of a block at hand. */
  withBlock(block: CellBlock, work: () => void): void {
    this.#blocks.push(block);
    try {
      work();
    } finally {
      this.#blocks.pop();
    }
  }

  /** Returns the cell of a row; undefined when the row does not exist. */
  get(column: ColumnNode, id: number): CellValue | undefined {
    const block = this.#blocks.at(-1);
    const found = block?.table === column.table ? block.get(column, id) : undefined;
    if (found !== undefined) return found;
    const index = Math.floor(id / PAGE_ROWS);
    const page = this.#pages.get(column)?.get(index) ?? this.#pageOf(column, index);
    if (!page) return this.#read(column, id);
    const cell = page.cells[id - index * PAGE_ROWS];
    if (cell !== STALE) return cell;
    const value = this.#read(column, id);
    page.cells[id - index * PAGE_ROWS] = value;
    page.stale--;
    return value;
  }

  /** Returns the stored value of a cell that is computed in the innermost block. */
  before(column: ColumnNode, id: number): SqlValue | undefined {
    return this.#blocks.at(-1)?.before(column, id);
  }

  /** Call before many cells of these columns are read. */
  load(columns: Iterable<ColumnNode>): void {
    for (const column of columns) {
      const singles = this.#singles.get(column);
      if (singles) singles.limit = 0;
      else this.#singles.set(column, { count: 0, limit: 0 });
    }
  }

  /** Marks cells of written, added or removed rows as stale. */
  markStale(column: ColumnNode, ids: readonly number[]): void {
    const pages = this.#pages.get(column);
    if (!pages) return;
    for (const id of ids) {
      const index = Math.floor(id / PAGE_ROWS);
      const page = pages.get(index);
      if (!page) continue;
      if (++page.stale > MAX_STALE_CELLS) this.#dropPage(pages, index, page);
      else page.cells[id - index * PAGE_ROWS] = STALE;
    }
  }

  /** As `markStale` for cells that were written while blocks are being computed. */
  markWritten(column: ColumnNode, ids: readonly number[], values: (at: number) => SqlValue): void {
    this.markStale(column, ids);
    for (const block of this.#blocks) {
      if (block.table !== column.table) continue;
      for (const [at, id] of ids.entries()) block.replace(column, id, values(at));
    }
  }

  evict(column: ColumnNode): void {
    for (const page of this.#pages.get(column)?.values() ?? []) this.#bytes -= page.bytes;
    this.#pages.delete(column);
  }

  /** Forgets how often cells were read, at the end of a change. */
  trim(): void {
    this.#singles.clear();
  }

  clear(): void {
    this.#pages.clear();
    this.#bytes = 0;
  }

  /** Reads the page of a row that is not cached, if so many cells of the column are needed that it pays. */
  #pageOf(column: ColumnNode, index: number): Page | undefined {
    const { table } = column;
    if (!table.stored || !column.column.isStored || index < 0) return undefined;
    let singles = this.#singles.get(column);
    if (!singles) {
      singles = { count: 0, limit: Math.max(SINGLE_READ_LIMIT, highestId(this.#db, table.id) / 64) };
      this.#singles.set(column, singles);
    }
    if (++singles.count <= singles.limit) return undefined;
    return this.#readPage(table, column, index);
  }

  #readPage(table: TableNode, column: ColumnNode, index: number): Page {
    const first = index * PAGE_ROWS;
    const sql = `select id, ${quote(column.id)} from ${quote(table.id)} where id between ? and ?`;
    const cells: Page["cells"] = Array.from({ length: PAGE_ROWS }, () => undefined);
    let bytes = PAGE_ROWS * CELL_BYTES;
    for (const [id, value = null] of this.#db.values(sql, first, first + PAGE_ROWS - 1)) {
      const cell = column.kind.decodeRaw(value);
      cells[Number(id) - first] = cell;
      if (typeof cell === "string") bytes += TEXT_BYTES + cell.length;
      else if (typeof cell === "object" && cell !== null) bytes += TEXT_BYTES * cell.length;
    }
    if (this.#bytes + bytes > this.#maxBytes) this.#dropOldest(bytes);
    const page = { cells, bytes, stale: 0 };
    const pages = this.#pages.get(column) ?? new Map<number, Page>();
    this.#pages.set(column, pages.set(index, page));
    this.#bytes += bytes;
    return page;
  }

  /** Frees a quarter of the cache, so that this is not necessary for each page. */
  #dropOldest(needed: number): void {
    const allowed = this.#maxBytes * 0.75 - needed;
    for (const [column, pages] of this.#pages) {
      for (const [index, page] of pages) {
        if (this.#bytes <= allowed) return;
        this.#dropPage(pages, index, page);
      }
      if (pages.size === 0) this.#pages.delete(column);
    }
  }

  #dropPage(pages: Map<number, Page>, index: number, page: Page): void {
    pages.delete(index);
    this.#bytes -= page.bytes;
  }

  #read({ table, id: name, kind, column }: ColumnNode, id: number): CellValue | undefined {
    if (!table.stored) return undefined;
    const selected = column.isStored ? quote(name) : "null";
    const [row] = this.#db.values(`select ${selected} from ${quote(table.id)} where id = ?`, id);
    if (!row) return undefined;
    return column.isStored ? kind.decodeRaw(row[0] ?? null) : kind.defaultValue;
  }
}

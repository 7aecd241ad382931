import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { cellHash } from "./cell-hash.ts";
import { EqualityIndex } from "./equality-index.ts";
import { scanRows } from "./scan-rows.ts";
import type { IndexedColumn } from "./index-source.ts";
import type { SharedBase } from "./shared-index.ts";
import { MAX_INDEXED_ID, type TableIndex } from "./table-index.ts";

/** Above this number of rows one statement changes so much that the index is rebuilt instead. */
const MAX_ROWS_PER_CHANGE = 8192;
/** Lookups that found too many rows, without a better one among them, until the index counts as useless. */
const MAX_UNSELECTIVE = 8;

/** Finds the rows of a table by the cells of one column. */
export class ColumnIndex implements TableIndex {
  readonly table: string;
  readonly columns: ReadonlySet<string>;
  readonly #db: Database;
  readonly #field: IndexedColumn;
  #current = new EqualityIndex();
  /** Replaces the current one when it is built. */
  #next: EqualityIndex | null = null;
  #unselectiveCount = 0;

  constructor(db: Database, { table, field }: { table: string; field: IndexedColumn }) {
    this.#db = db;
    this.table = table;
    this.columns = new Set([field.id]);
    this.#field = field;
  }

  get isBuilt(): boolean {
    return this.#current.base !== null;
  }

  get shared(): SharedBase | null {
    const { base, log } = this.#current;
    return base && { kind: "column", ...base, log: log.buffer };
  }

  get isClosed(): boolean {
    return this.#current.log.isClosed || this.#unselectiveCount >= MAX_UNSELECTIVE;
  }

  get isUseless(): boolean {
    return this.#unselectiveCount >= MAX_UNSELECTIVE;
  }

  get sizeBytes(): number {
    return this.#current.sizeBytes + (this.#next?.sizeBytes ?? 0);
  }

  get hasWork(): boolean {
    return this.#current.needsCompaction;
  }

  /**
   * Returns the ids of all rows whose cell equals one of the values, and possibly of others, ascending; null when there
   * are more than `limit`.
   */
  find(values: readonly CellValue[], limit: number): number[] | null {
    const found = findCells(this.#current, values, limit);
    if (found) this.#unselectiveCount = 0;
    else if (!this.#current.log.isClosed) this.#unselectiveCount++;
    return found;
  }

  rowsWritten(ids: readonly number[]): void {
    if (ids.length > MAX_ROWS_PER_CHANGE || ids.some((id) => id > MAX_INDEXED_ID)) return this.close();
    this.#readCells(ids, (id, hash) => {
      this.#current.add(id, hash);
      this.#next?.add(id, hash);
    });
  }

  /** Cells of removed rows stay in the index: no row with their id is found. */
  rowsRemoved(): void {}

  close(): void {
    this.#current.log.close();
    this.#next?.log.close();
  }

  *work(): Generator<void> {
    const { isBuilt } = this;
    if (!isBuilt) yield* this.#current.build((add) => this.#scan(add));
    else if (this.hasWork) yield* this.#compact();
  }

  *#scan(add: (id: number, hash: number) => void): Generator<void> {
    const { type } = this.#field;
    for (const rows of scanRows(this.#db, { table: this.table, columns: [this.#field.id] })) {
      if (Number(rows.at(-1)?.[0]) > MAX_INDEXED_ID) this.close();
      if (this.isClosed) return;
      for (const [id, cell] of rows) {
        add(Number(id), cellHash(type.decodeRaw(cell ?? null)));
      }
      yield;
    }
  }

  /** Reads the cells of changed rows again: entries of the log may come from a transaction that was rolled back. */
  *#compact(): Generator<void> {
    const changed = this.#current.changedIds();
    const ids = [...changed];
    const next = new EqualityIndex();
    this.#next = next;
    const current = this.#current;
    const fill = function* (this: ColumnIndex, add: (id: number, hash: number) => void): Generator<void> {
      for (let at = 0; at < ids.length; at += READ_BATCH) {
        this.#readCells(ids.slice(at, at + READ_BATCH), add);
        yield;
      }
      yield* current.copyTo(add, changed);
    }.bind(this);
    yield* next.build(fill);
    current.log.close();
    this.#current = next;
    this.#next = null;
  }

  #readCells(ids: readonly number[], add: (id: number, hash: number) => void): void {
    const { id: column, type } = this.#field;
    const sql = `select id, ${quote(column)} from ${quote(this.table)} where id in (select value from json_each(?))`;
    for (const [id, cell] of this.#db.values(sql, JSON.stringify(ids))) {
      add(Number(id), cellHash(type.decodeRaw(cell ?? null)));
    }
  }
}

/** Returns the rows that an index finds for cells, ascending; null when it cannot be used, or finds too many. */
export function findCells(index: EqualityIndex, values: readonly CellValue[], limit: number): number[] | null {
  const found = new Set<number>();
  for (const hash of new Set(values.map(cellHash))) if (!index.find(hash, found, limit)) return null;
  return [...found].toSorted((a, b) => a - b);
}

const READ_BATCH = 512;

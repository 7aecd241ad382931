import type { Database, SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import { columnsOf, type OrderedRow, RowOrdering, type OrderSpec } from "../read/row-ordering.ts";
import { positionOf, rowComparator, SortColumn, sortedCell } from "../read/sort-comparator.ts";
import { type CellRange, isAfterEnd, isAtOrAfterStart } from "./cell-range.ts";
import { sharedNumbers } from "./equality-index.ts";
import { GrowingList } from "./growing-list.ts";
import { scanRows } from "./scan-rows.ts";
import { type OrderedRows, SortOrder } from "./sort-order.ts";
import { sortInSteps } from "./sort-in-steps.ts";
import type { OrderReader } from "./index-source.ts";
import type { SharedBase } from "./shared-index.ts";
import { MAX_INDEXED_ID, type TableIndex } from "./table-index.ts";

/** The keys of all rows, by id. */
interface ReadKeys {
  readonly ids: GrowingList;
  readonly columns: readonly SortColumn[];
  readonly positions: readonly number[];
}

/** Above this number of rows one statement changes so much that the order is rebuilt instead. */
const MAX_ROWS_PER_CHANGE = 1024;
/** Changes that may wait for the next read; more are taken in between requests. */
const MAX_WAITING_CHANGES = 64;
/** Changes that are taken in between two yields. */
const CHANGES_PER_STEP = 8;
/** Bytes of keys that a build may hold in memory; a table with more is sorted for each request. */
const MAX_KEY_BYTES = 134_217_728;

/** Holds the order of all rows of a table for one sort. */
export class OrderIndex implements TableIndex, OrderReader {
  readonly table: string;
  readonly columns: ReadonlySet<string>;
  readonly #db: Database;
  readonly #spec: OrderSpec;
  readonly #rows: OrderedRows<OrderedRow>;
  readonly #nextSeq: () => number;
  #order: SortOrder<OrderedRow>;
  #isTooLarge = false;

  /** @param nextSeq returns the number of the next commit */
  constructor(db: Database, spec: OrderSpec, nextSeq: () => number) {
    this.#db = db;
    this.#nextSeq = nextSeq;
    this.#spec = spec;
    this.table = spec.table;
    this.columns = new Set(columnsOf(spec));
    this.#rows = orderedRows(db, spec);
    this.#order = new SortOrder(this.#rows);
  }

  get isBuilt(): boolean {
    return this.#order.base !== null;
  }

  get isClosed(): boolean {
    return this.#order.log.isClosed;
  }

  get isUseless(): boolean {
    return this.#isTooLarge;
  }

  get sizeBytes(): number {
    return this.#order.sizeBytes;
  }

  get hasWork(): boolean {
    return this.#order.needsCompaction || this.#order.waitingCount > MAX_WAITING_CHANGES;
  }

  get shared(): SharedBase | null {
    const { base, log } = this.#order;
    return base && { kind: "order", ids: base, log: log.buffer };
  }

  /** Number of rows of the table; null when the order cannot be used now. */
  count(): number | null {
    return this.#order.update() ? this.#order.count : null;
  }

  /** Returns the ids of a part of the order; null when it cannot be used now. */
  page(offset: number, limit: number): Uint32Array | null {
    return this.#order.update() ? this.#order.page(offset, limit) : null;
  }

  range(range: CellRange, limit: number): Uint32Array | null {
    return this.#order.update() ? rowsInRange(this.#order, range, limit) : null;
  }

  /** Takes the ids of all rows in order, as of now, in place of building. */
  takeOrder(ids: ArrayLike<number>): void {
    const base = sharedNumbers(ids.length);
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      if (id > MAX_INDEXED_ID) return this.close();
      base[at] = id;
    }
    this.#order.setBase(base);
  }

  rowsWritten(ids: readonly number[]): void {
    if (ids.length > MAX_ROWS_PER_CHANGE || ids.some((id) => id > MAX_INDEXED_ID)) this.close();
    else this.#order.add(ids, this.#nextSeq());
  }

  rowsRemoved(ids: readonly number[]): void {
    this.rowsWritten(ids);
  }

  close(): void {
    this.#order.log.close();
  }

  *work(): Generator<void> {
    if (!this.isBuilt) yield* this.#build();
    while (!this.isClosed && this.#order.waitingCount > 0) {
      this.#order.update({ maxChanges: CHANGES_PER_STEP });
      yield;
    }
    if (this.isClosed || !this.#order.needsCompaction || !this.#order.update()) return;
    const merged = new SortOrder(this.#rows);
    merged.setBase(this.#order.merged());
    this.#order.log.close();
    this.#order = merged;
  }

  *#build(): Generator<void> {
    const ids = new GrowingList();
    const positions: number[] = [];
    const { keys, position } = this.#spec;
    const columns = keys.map(({ field, key }) => new SortColumn(field, key));
    let keyBytes = 0;
    for (const rows of scanRows(this.#db, { table: this.table, columns: columnsOf(this.#spec) })) {
      if (Number(rows.at(-1)?.[0]) > MAX_INDEXED_ID) this.close();
      for (const row of rows) {
        ids.push(Number(row[0]));
        for (const [at, column] of columns.entries()) {
          const cell = row[at + 1] ?? null;
          keyBytes += BYTES_PER_CELL + sizeOf(cell);
          column.add(cell);
        }
        if (position !== null) positions.push(positionOf(row.at(-1)));
      }
      if (keyBytes > MAX_KEY_BYTES) {
        this.#isTooLarge = true;
        this.close();
      }
      if (this.isClosed) return;
      yield;
    }
    this.#order.setBase(yield* this.#sorted({ ids, columns, positions }));
  }

  *#sorted({ ids, columns, positions }: ReadKeys): Generator<void, Uint32Array> {
    const { idDescending } = this.#spec;
    if (columns.length === 0) return inIdOrder(ids, idDescending);
    for (const column of columns) yield* column.prepare();
    const compare = rowComparator(
      columns.map((column) => column.comparison()),
      { positions, idDescending },
    );
    const base = yield* sortInSteps(ids.length, compare);
    for (let at = 0; at < base.length; at++) base[at] = ids.at(base[at] ?? 0);
    return base;
  }
}

function inIdOrder(ids: GrowingList, isDescending: boolean): Uint32Array {
  const ordered = sharedNumbers(ids.length);
  for (let at = 0; at < ids.length; at++) ordered[at] = ids.at(at);
  return isDescending ? ordered.reverse() : ordered;
}

/** What a cell takes in memory besides the characters of a text. */
const BYTES_PER_CELL = 32;

const sizeOf = (cell: SqlValue): number =>
  typeof cell === "string" || cell instanceof Uint8Array ? cell.length + BYTES_PER_CELL : 0;

/**
 * Returns the ids of the rows of a range, as of the last update of the order, which is by one column without options;
 * null when they are more than `limit`.
 */
export function rowsInRange(order: SortOrder<OrderedRow>, range: CellRange, limit: number): Uint32Array | null {
  const cellOf = ({ values: [value] }: OrderedRow): CellValue => (value ? sortedCell(value) : null);
  const start = order.countBefore((row) => isAtOrAfterStart(range, cellOf(row)));
  const end = order.countBefore((row) => isAfterEnd(range, cellOf(row)));
  return end - start > limit ? null : order.page(start, Math.max(0, end - start));
}

/** Reads the rows of an order from a connection. */
export function orderedRows(db: Database, spec: OrderSpec): OrderedRows<OrderedRow> {
  const ordering = new RowOrdering(spec);
  const sql = `select ${["id", ...columnsOf(spec).map(quote)].join(", ")} from ${quote(spec.table)} where id = ?`;
  return {
    read(id) {
      const [row] = db.values(sql, id);
      return row ? ordering.read(row) : null;
    },
    compare: (a, b) => ordering.compare(a, b),
  };
}

import { must } from "../../lib/assert.ts";
import { incrementCounter } from "../../lib/observability/measurements.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Database } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import type { CellValue } from "../../values/cell.ts";
import type { ChangeCounter } from "../change-counter.ts";
import type { OrderSpec } from "../read/row-ordering.ts";
import { ColumnIndex } from "./column-index.ts";
import { columnIndexName, type IndexSubject, indexSubject, orderIndexName, textIndexName } from "./index-name.ts";
import { type IndexedColumn, type IndexSource, maxCandidates, maxInRange } from "./index-source.ts";
import type { SharedIndex } from "./shared-index.ts";
import { type BudgetedIndex, IndexBudget } from "./index-budget.ts";
import { DEFAULT_INDEX_BYTES, type IndexOptions, MIN_ROWS } from "./index-options.ts";
import { OrderIndex } from "./order-index.ts";
import { PatternTable } from "./pattern-table.ts";
import { listenToRowChanges, type RowChangeListener } from "./row-changes.ts";
import type { TableIndex } from "./table-index.ts";
import { isSpaceShort, trigramQuery, WRITER_BYTES } from "./text-file.ts";
import { TextIndex, type TextIndexOptions } from "./text-index.ts";

/** Expected memory per row, and the log of an index. */
const COLUMN_BYTES_PER_ROW = 9;
const ORDER_BYTES_PER_ROW = 4;
const LOG_BYTES = 262_144;

interface Slot extends BudgetedIndex {
  readonly name: string;
  work: Generator<void> | null;
}

interface Connection {
  readonly db: Database;
  readonly clock: Clock;
  readonly counter: ChangeCounter;
}

/**
 * The indexes of an open document. They exist in memory only, since the document's file is read by other programs, and
 * are built in the background for patterns of queries that repeat. All changes of rows reach them within the
 * transaction, before other connections can see the change.
 */
export class DocumentIndexes implements RowChangeListener, IndexSource {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #counter: ChangeCounter;
  readonly #budget: IndexBudget;
  readonly #minRows: number;
  readonly #temporary: TextIndexOptions | undefined;
  readonly #patterns = new PatternTable();
  readonly #slots = new Map<string, Slot>();
  /** Called when `runStep` has work to do. */
  onWork: (() => void) | undefined;
  /** Called with an index that was built, or merged with its log. */
  onShare: ((index: SharedIndex) => void) | undefined;

  constructor({ db, clock, counter }: Connection, { budget, minRows = MIN_ROWS, temporary }: IndexOptions = {}) {
    this.#db = db;
    this.#clock = clock;
    this.#counter = counter;
    this.#budget = budget ?? new IndexBudget(DEFAULT_INDEX_BYTES);
    this.#minRows = minRows;
    this.#temporary = temporary;
    listenToRowChanges(db, this);
  }

  findRows(table: string, field: IndexedColumn, values: readonly CellValue[]): number[] | null {
    const name = columnIndexName(table, field);
    const index = this.#find(name, (found) => found instanceof ColumnIndex);
    if (index) return this.#counted(index.find(values, maxCandidates(this.#highestId(table))));
    this.#noteUse(name, { kind: "column", table, field });
    return null;
  }

  findOrder(spec: OrderSpec): OrderIndex | null {
    // A change that may still be rolled back must not enter the order.
    if (this.#db.inTransaction) return null;
    const name = orderIndexName(spec);
    const index = this.#find(name, (found) => found instanceof OrderIndex);
    if (index) return this.#counted(index.count() === null ? null : index);
    this.#noteUse(name, { kind: "order", table: spec.table, spec });
    return null;
  }

  findTexts(table: string, fields: readonly IndexedColumn[], words: readonly string[]): number[] | null {
    if (!this.#temporary || trigramQuery(words) === null) return null;
    const name = textIndexName(table, fields);
    const slot = this.#slots.get(name);
    const index = this.#find(name, (found) => found instanceof TextIndex);
    if (!slot || !index) {
      this.#noteUse(name, { kind: "text", table, fields });
      return null;
    }
    try {
      return this.#counted(index.find(words, maxInRange(this.#highestId(table))));
    } catch {
      // Its file was deleted or damaged: it is built again when it is needed.
      this.#drop(slot);
      return null;
    }
  }

  takeOrder(spec: OrderSpec, ids: ArrayLike<number>): void {
    const slot = this.#slots.get(orderIndexName(spec));
    if (!slot || !(slot.index instanceof OrderIndex) || slot.index.isBuilt || this.#db.inTransaction) return;
    slot.index.takeOrder(ids);
    this.#completed(slot);
  }

  rowsWritten(table: string, ids: readonly number[], columns: readonly string[] | null): void {
    for (const { index } of this.#slots.values()) {
      if (index.table !== table || index.isClosed) continue;
      if (columns !== null && !columns.some((column) => index.columns.has(column))) continue;
      index.rowsWritten(ids);
      if (index.hasWork || index.isClosed) this.onWork?.();
    }
  }

  rowsRemoved(table: string, ids: readonly number[]): void {
    for (const { index } of this.#slots.values()) if (index.table === table) index.rowsRemoved(ids);
  }

  tableChanged(table: string): void {
    for (const slot of this.#slots.values()) if (slot.index.table === table) this.#drop(slot);
  }

  /**
   * Builds indexes, and merges changes into them, for a few milliseconds. Call between requests.
   * @returns true when there is more to do
   */
  runStep(maxMs: number): boolean {
    if (this.#db.inTransaction) return this.hasWork;
    const end = performance.now() + maxMs;
    for (const slot of this.#slots.values()) {
      if (slot.index.isClosed) {
        if (slot.index.isUseless) this.#patterns.block(slot.name, this.#clock.elapsed());
        this.#drop(slot);
        continue;
      }
      if (!slot.work && slot.index.isBuilt && !slot.index.hasWork) continue;
      while (!slot.index.isClosed && this.#advance(slot)) if (performance.now() >= end) return true;
    }
    return this.hasWork;
  }

  /** Does one step of the work of an index. Returns false when it is done. */
  #advance(slot: Slot): boolean {
    slot.work ??= slot.index.work();
    try {
      if (!slot.work.next().done) return true;
    } catch (error) {
      this.#patterns.block(slot.name, this.#clock.elapsed());
      this.#drop(slot);
      throw error;
    }
    this.#completed(slot);
    return false;
  }

  /** All indexes that readers can use. */
  shared(): SharedIndex[] {
    return this.#slots
      .values()
      .toArray()
      .flatMap((slot) => sharedIndex(slot, this.#counter) ?? []);
  }

  #completed(slot: Slot): void {
    const shared = sharedIndex(slot, this.#counter);
    if (shared) this.onShare?.(shared);
    slot.work = null;
    slot.expectedBytes = 0;
    this.#budget.enforce();
  }

  /** True when `runStep` has work to do. */
  get hasWork(): boolean {
    return this.#slots
      .values()
      .some(({ index, work }) => work !== null || index.isClosed || !index.isBuilt || index.hasWork);
  }

  /** Drops indexes that were not used since `before`, a monotonic time in milliseconds, and files if space is short. */
  evictUnusedSince(before: number): void {
    for (const slot of this.#slots.values()) if (slot.usedAt < before) this.#drop(slot);
    const texts = this.#slots
      .values()
      .toArray()
      .filter(({ index }) => index instanceof TextIndex);
    if (texts.length === 0 || !this.#temporary || !isSpaceShort(this.#temporary)) return;
    for (const slot of texts) this.#drop(slot);
  }

  /** Drops all indexes. */
  clear(): void {
    for (const slot of this.#slots.values()) this.#drop(slot);
  }

  get count(): number {
    return this.#slots.size;
  }

  #find<Index extends TableIndex>(name: string, isOfKind: (index: TableIndex) => index is Index): Index | null {
    const slot = this.#slots.get(name);
    if (!slot) return null;
    slot.usedAt = this.#clock.elapsed();
    const { index } = slot;
    return index.isBuilt && !index.isClosed && isOfKind(index) ? index : null;
  }

  #counted<T>(found: T | null): T | null {
    if (found !== null) incrementCounter("indexHits");
    return found;
  }

  /** Counts a read of a reader that would have used an index. */
  noteReaderMiss(name: string): void {
    const subject = indexSubject(name);
    if (subject.kind === "text" && !this.#temporary) return;
    // The table may have been renamed or removed since.
    const exists =
      this.#db.get("select 1 from sqlite_master where type = 'table' and name = ?", subject.table) !== null;
    if (exists) this.#noteUse(name, subject);
  }

  /** Counts a read that would have used an index; builds the index when that repeats. */
  #noteUse(name: string, subject: IndexSubject): void {
    const { table } = subject;
    if (this.#slots.has(name)) return this.#announceWork();
    const rows = this.#highestId(table);
    if (rows < this.#minRows) return;
    incrementCounter("indexMisses");
    const usedAt = this.#clock.elapsed();
    // A search reads a table as a whole, which takes longer than a filter.
    if (!this.#patterns.note(name, usedAt, subject.kind === "text" ? 1 : undefined)) return;
    const index = this.#create(subject);
    const slot: Slot = {
      name,
      index,
      usedAt,
      expectedBytes: expectedBytes(subject, rows) + LOG_BYTES,
      work: null,
      evict: () => this.#drop(slot),
    };
    if (!this.#budget.add(slot)) return;
    this.#slots.set(name, slot);
    incrementCounter("indexBuilds");
    this.#announceWork();
  }

  #create(subject: IndexSubject): TableIndex {
    if (subject.kind === "column") return new ColumnIndex(this.#db, subject);
    if (subject.kind === "text") return new TextIndex(this.#db, { ...subject, options: must(this.#temporary) });
    return new OrderIndex(this.#db, subject.spec, () => (this.#counter.counts?.seq ?? 0) + 1);
  }

  #announceWork(): void {
    if (this.hasWork) this.onWork?.();
  }

  #drop(slot: Slot): void {
    slot.index.close();
    this.#budget.remove(slot);
    this.#slots.delete(slot.name);
  }

  /** An upper bound of the number of rows, in a moment. */
  #highestId(table: string): number {
    return Number(this.#db.values(`select max(id) from ${quote(table)}`)[0]?.[0] ?? 0);
  }
}

/** Returns the memory of an index while it is built. */
function expectedBytes({ kind }: IndexSubject, rows: number): number {
  if (kind === "text") return WRITER_BYTES;
  return rows * (kind === "column" ? COLUMN_BYTES_PER_ROW : ORDER_BYTES_PER_ROW);
}

function sharedIndex({ name, index }: Slot, { counts, ownEpoch }: ChangeCounter): SharedIndex | null {
  const base = index.isClosed ? null : index.shared;
  return base && { name, base, since: counts && { epoch: counts.epoch, seq: counts.seq }, nextEpoch: ownEpoch };
}

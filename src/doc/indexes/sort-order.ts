import { sharedNumbers } from "./equality-index.ts";
import { SharedLog } from "./shared-log.ts";

/** Reads rows in the form that an order compares. */
export interface OrderedRows<Row> {
  /** Returns the row; null when it does not exist. */
  read(id: number): Row | null;
  compare(a: Row, b: Row): number;
}

/** A changed row at its present place in the order. */
interface MovedRow<Row> {
  readonly id: number;
  readonly row: Row;
  /** The index in the base of the first row after it. */
  readonly before: number;
}

/** Numbers of the log: a row id, and the number of the commit that the change belongs to, if it is committed. */
const LOG_CAPACITY = 8192;
/** Above this number of changed rows they are merged into the base. */
const COMPACT_COUNT = 1024;
/** How many changes a read takes in; more are taken in between requests. */
const MAX_CHANGES_PER_READ = 256;
/** Changes from which one pass over the base is faster than a search for each row. */
const PASS_THRESHOLD = 16;

/**
 * The ids of all rows of a table in the order of a sort: a base that never changes, in memory that threads share, and
 * the rows that changed since, each at its present place. The log names the changed rows; each thread finds their places
 * in its own snapshot.
 */
export class SortOrder<Row> {
  readonly log: SharedLog;
  readonly #rows: OrderedRows<Row>;
  #base: Uint32Array | null;
  #takenCount = 0;
  /** Changed rows, whether they still exist or not. */
  readonly #changed = new Set<number>();
  /** Indexes in the base of changed rows, ascending. */
  #gaps: number[] = [];
  /** Changed rows that are not at their place yet. */
  readonly #waiting = new Set<number>();
  /** Changed rows that exist, in order. */
  #moved: MovedRow<Row>[] = [];

  constructor(rows: OrderedRows<Row>, shared?: { base: Uint32Array; log: SharedLog }) {
    this.#rows = rows;
    this.log = shared?.log ?? new SharedLog(LOG_CAPACITY);
    this.#base = shared?.base ?? null;
  }

  /** Null until it is built. */
  get base(): Uint32Array | null {
    return this.#base;
  }

  get sizeBytes(): number {
    return this.log.buffer.byteLength + (this.#base?.byteLength ?? 0);
  }

  /** Number of rows. Call `update` before. */
  get count(): number {
    return (this.#base?.length ?? 0) - this.#gaps.length + this.#moved.length;
  }

  get needsCompaction(): boolean {
    return this.#changed.size > COMPACT_COUNT;
  }

  /** Number of changes that wait for `update`. */
  get waitingCount(): number {
    return (this.log.length - this.#takenCount) / 2 + this.#waiting.size;
  }

  /** Adds changed rows. @param seq the number of the commit that the transaction will have */
  add(ids: readonly number[], seq: number): void {
    this.log.append(ids.flatMap((id) => [id, seq]));
  }

  setBase(ids: Uint32Array): void {
    this.#base = ids;
  }

  /**
   * Takes in the changes of the log. Call outside of transactions that may still be rolled back.
   * @param seq for a reader, the number of the last commit in its snapshot
   * @returns false when there are too many for one read, or the order must no longer be used
   */
  update({ maxChanges = MAX_CHANGES_PER_READ, seq = Number.POSITIVE_INFINITY } = {}): boolean {
    const base = this.#base;
    if (!base || this.log.isClosed) return false;
    this.#excludeChanged(base, seq);
    let count = 0;
    for (const id of this.#waiting) {
      if (count++ >= maxChanges) return false;
      this.#waiting.delete(id);
      this.#place(base, id);
    }
    return !this.log.isClosed;
  }

  /** Returns a part of the order, as of the last `update`. */
  page(offset: number, limit: number): Uint32Array {
    const base = this.#base ?? new Uint32Array(0);
    const end = Math.min(offset + limit, this.count);
    const page = new Uint32Array(Math.max(0, end - offset));
    let position = 0;
    for (const segment of this.#segments(base)) {
      if (position >= end) break;
      const from = Math.max(0, offset - position);
      const to = Math.min(segment.length, end - position);
      if (from < to) page.set(segment.subarray(from, to), position + from - offset);
      position += segment.length;
    }
    return page;
  }

  /**
   * Returns how many rows come before the first one for which `test` is true, which must be true for all rows after it.
   * As of the last `update`.
   */
  countBefore(test: (row: Row) => boolean): number {
    const rank = this.#rankIn(this.#base ?? new Uint32Array(0), test);
    const gaps = firstIndex(this.#gaps, (at) => at >= rank);
    return rank - gaps + firstIndex(this.#moved, ({ row }) => test(row));
  }

  /** Makes the order without its log: the base of the next one. */
  merged(): Uint32Array {
    const merged = sharedNumbers(this.count);
    merged.set(this.page(0, this.count));
    return merged;
  }

  /** Yields the parts of the base between gaps and changed rows, and these rows. */
  *#segments(base: Uint32Array): Generator<Uint32Array> {
    let at = 0;
    let gap = 0;
    let next = 0;
    for (;;) {
      const stop = Math.min(this.#moved[next]?.before ?? base.length, this.#gaps[gap] ?? base.length);
      if (stop > at) yield base.subarray(at, stop);
      at = stop;
      const rows: number[] = [];
      for (let moved = this.#moved[next]; moved && moved.before <= at; moved = this.#moved[++next]) rows.push(moved.id);
      if (rows.length > 0) yield Uint32Array.from(rows);
      if (this.#gaps[gap] === at) {
        gap++;
        at++;
      } else if (at >= base.length) return;
    }
  }

  /** Excludes all changed rows before any of them is placed: the others have to be in order. */
  #excludeChanged(base: Uint32Array, seq: number): void {
    const { length } = this.log;
    if (this.#takenCount === length) return;
    const ids = new Set<number>();
    for (let at = this.#takenCount; at < length; at += 2) {
      ids.add(this.log.at(at));
      // A change that the snapshot does not contain is taken in again for the next snapshot.
      if (this.log.at(at + 1) <= seq) this.#takenCount = at + 2;
    }
    for (const id of ids) this.#waiting.add(id);
    const added = [...ids].filter((id) => !this.#changed.has(id));
    for (const id of added) this.#changed.add(id);
    const gaps: number[] = [];
    if (added.length < PASS_THRESHOLD) gaps.push(...added.map((id) => base.indexOf(id)).filter((at) => at >= 0));
    else {
      const searched = new Set(added);
      for (const [at, id] of base.entries()) if (searched.has(id)) gaps.push(at);
    }
    if (gaps.length > 0) this.#gaps = [...this.#gaps, ...gaps].toSorted((a, b) => a - b);
    // The ranks of rows that changed before stay: they count all rows of the base.
    this.#moved = this.#moved.filter(({ id }) => !ids.has(id));
  }

  #place(base: Uint32Array, id: number): void {
    const row = this.#rows.read(id);
    if (row === null) return;
    const before = this.#rankIn(base, (other) => this.#rows.compare(other, row) > 0);
    const place = firstIndex(this.#moved, (moved) => this.#rows.compare(moved.row, row) > 0);
    this.#moved.splice(place, 0, { id, row, before });
  }

  /**
   * Returns the index of the first row of the base for which `test` is true, as for all rows after it; changed rows of
   * the base do not count.
   */
  #rankIn(base: Uint32Array, test: (row: Row) => boolean): number {
    let low = 0;
    let high = base.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      let at = middle;
      while (at < high && this.#changed.has(base[at] ?? 0)) at++;
      const other = at < high ? this.#rows.read(base[at] ?? 0) : null;
      if (other === null || test(other)) high = middle;
      else low = at + 1;
    }
    return low;
  }
}

/** Returns the index of the first element for which `test` is true, as for all after it; the length if there is none. */
function firstIndex<T>(list: readonly T[], test: (element: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const element = list[middle];
    if (element !== undefined && test(element)) high = middle;
    else low = middle + 1;
  }
  return low;
}

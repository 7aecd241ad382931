import { RowSet } from "./row-set.ts";

/** Rows of a table: all rows, or some by id. */
export type RowSelection = "all" | readonly number[];

export const NO_ROWS: readonly number[] = [];

/** The pending cells of a column. */
export class PendingRows {
  #isAll = false;
  /** The pending rows; when `#isAll`, the rows that are done. */
  #rows = new RowSet();
  /** When `#isAll`: rows that became pending again after they were done. */
  #again = new RowSet();
  /** How often all rows became pending. */
  allCount = 0;

  /** True when all rows are pending except the ones that are done. */
  get isAll(): boolean {
    return this.#isAll;
  }

  get isEmpty(): boolean {
    return !this.#isAll && this.#rows.size === 0;
  }

  /** The number of pending rows; Infinity when all are. */
  get count(): number {
    return this.#isAll ? Infinity : this.#rows.size;
  }

  has(id: number): boolean {
    return this.#isAll ? !this.#rows.has(id) : this.#rows.has(id);
  }

  /** Adds rows. Returns the newly pending ones. */
  add(rows: RowSelection): RowSelection {
    if (rows === "all") {
      if (this.#isAll && this.#rows.size === 0) return NO_ROWS;
      this.#isAll = true;
      this.allCount++;
      this.#rows = new RowSet();
      this.#again = new RowSet();
      return "all";
    }
    if (this.isEmpty) {
      this.#rows = new RowSet(rows);
      return rows;
    }
    const isAll = this.#isAll;
    return rows.filter((id) => {
      if (!isAll) return this.#rows.add(id);
      if (!this.#rows.delete(id)) return false;
      this.#again.add(id);
      return true;
    });
  }

  done(id: number): void {
    if (!this.#isAll) {
      this.#rows.delete(id);
      return;
    }
    this.#rows.add(id);
    if (this.#again.size > 0) this.#again.delete(id);
  }

  /** Returns the pending rows in order; `all` provides the rows of the table. */
  rowsOf(all: () => readonly number[]): readonly number[] {
    return this.#isAll ? all().filter((id) => !this.#rows.has(id)) : this.#rows.toSorted();
  }

  /** Call when all rows of the table were done once: only the rows that became pending again remain. */
  endAll(): void {
    if (!this.#isAll) return;
    this.#isAll = false;
    this.#rows = this.#again;
    this.#again = new RowSet();
  }
}

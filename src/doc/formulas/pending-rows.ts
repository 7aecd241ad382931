/** Rows of a table: all rows, or some by id. */
export type RowSelection = "all" | readonly number[];

export const NO_ROWS: readonly number[] = [];

/** The pending cells of a column. */
export class PendingRows {
  #isAll = false;
  /** The pending rows; when `#isAll`, the rows that are done. */
  #rows = new Set<number>();

  /** True when all rows are pending except the ones that are done. */
  get isAll(): boolean {
    return this.#isAll;
  }

  get isEmpty(): boolean {
    return !this.#isAll && this.#rows.size === 0;
  }

  has(id: number): boolean {
    return this.#isAll ? !this.#rows.has(id) : this.#rows.has(id);
  }

  /** Adds rows. Returns the newly pending ones. */
  add(rows: RowSelection): RowSelection {
    if (rows === "all") {
      if (this.#isAll && this.#rows.size === 0) return NO_ROWS;
      this.#isAll = true;
      this.#rows = new Set();
      return "all";
    }
    if (this.isEmpty) {
      this.#rows = new Set(rows);
      return rows;
    }
    const added = rows.filter((id) => !this.has(id));
    if (this.#isAll) for (const id of added) this.#rows.delete(id);
    else for (const id of added) this.#rows.add(id);
    return added;
  }

  done(id: number): void {
    if (this.#isAll) this.#rows.add(id);
    else this.#rows.delete(id);
  }

  /** Returns the pending rows; `all` provides the rows of the table. */
  rowsOf(all: () => readonly number[]): readonly number[] {
    return this.#isAll ? all().filter((id) => !this.#rows.has(id)) : [...this.#rows].toSorted((a, b) => a - b);
  }

  /** Resets the state when all rows of the table are done. */
  endAll(): void {
    if (!this.#isAll) return;
    this.#isAll = false;
    this.#rows = new Set();
  }

  clear(): void {
    this.#isAll = false;
    this.#rows.clear();
  }
}

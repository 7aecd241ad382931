/** Rows of a table: all of it, or some by their ids. */
export type RowSelection = "all" | readonly number[];

export const NO_ROWS: readonly number[] = [];

/** The cells of a column that are to be computed. */
export class PendingRows {
  #isAll = false;
  /** Where all are to be computed: those that are done. */
  #rows = new Set<number>();

  /** True when all rows of the column are to be computed, but for those that are done already. */
  get isAll(): boolean {
    return this.#isAll;
  }

  get isEmpty(): boolean {
    return !this.#isAll && this.#rows.size === 0;
  }

  has(id: number): boolean {
    return this.#isAll ? !this.#rows.has(id) : this.#rows.has(id);
  }

  /** Adds rows, and gives those that were not there yet. */
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

  /** The rows to be computed, given all rows of the table. */
  rowsOf(all: () => readonly number[]): readonly number[] {
    return this.#isAll ? all().filter((id) => !this.#rows.has(id)) : [...this.#rows].toSorted((a, b) => a - b);
  }

  /** To be called when every row of the table was gone through. */
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

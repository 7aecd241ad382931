import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";

/** The computed cells of a column that were not written yet, in the order of their rows. */
export interface ResultRows {
  readonly rows: number[];
  readonly cells: CellValue[];
  /** The stored values that the cells replace; undefined where they are not known. */
  readonly stored: readonly (SqlValue | undefined)[];
}

/**
 * Computed cells of a column that are not written yet. Rows are mostly computed in order, so the cells are lists; the
 * few that are computed earlier than their turn are kept apart.
 */
export class ColumnResults {
  #rows: number[] = [];
  #cells: CellValue[] = [];
  #stored: (SqlValue | undefined)[] = [];
  readonly #outOfOrder = new Map<number, CellValue>();

  get size(): number {
    return this.#rows.length + this.#outOfOrder.size;
  }

  get(row: number): CellValue | undefined {
    const at = this.#indexOf(row);
    if (at >= 0) return this.#cells[at];
    return this.#outOfOrder.size > 0 ? this.#outOfOrder.get(row) : undefined;
  }

  has(row: number): boolean {
    return this.get(row) !== undefined;
  }

  /** @param stored the value that the file has, if it is known */
  set(row: number, cell: CellValue, stored?: SqlValue): void {
    const last = this.#rows.at(-1) ?? -1;
    if (row > last && !this.#outOfOrder.has(row)) {
      this.#rows.push(row);
      this.#cells.push(cell);
      this.#stored.push(stored);
      return;
    }
    const at = this.#indexOf(row);
    if (at >= 0) this.#cells[at] = cell;
    else this.#outOfOrder.set(row, cell);
  }

  delete(row: number): void {
    if (this.#outOfOrder.delete(row)) return;
    const at = this.#indexOf(row);
    if (at < 0) return;
    for (const list of [this.#rows, this.#cells, this.#stored]) list.splice(at, 1);
  }

  /** Returns the results and starts over. */
  take(): ResultRows {
    if (this.#outOfOrder.size > 0) this.#merge();
    const taken = { rows: this.#rows, cells: this.#cells, stored: this.#stored };
    this.#rows = [];
    this.#cells = [];
    this.#stored = [];
    return taken;
  }

  #indexOf(row: number): number {
    const rows = this.#rows;
    let high = rows.length - 1;
    const last = rows[high];
    if (last === undefined || row > last) return -1;
    if (row === last) return high;
    let low = 0;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const found = rows[middle] ?? 0;
      if (found === row) return middle;
      if (found < row) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #merge(): void {
    const unordered = [...this.#outOfOrder].toSorted(([a], [b]) => a - b);
    this.#outOfOrder.clear();
    const { rows, cells, stored } = this.take();
    let at = 0;
    for (const [row, cell] of unordered) {
      for (; at < rows.length && (rows[at] ?? 0) < row; at++) this.set(rows[at] ?? 0, cells[at] ?? null, stored[at]);
      this.set(row, cell);
    }
    for (; at < rows.length; at++) this.set(rows[at] ?? 0, cells[at] ?? null, stored[at]);
  }
}

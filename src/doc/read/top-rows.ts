import type { SqlValue } from "../../sqlite/database.ts";
import { MATCH_ALL, type SqlCondition } from "../filters/sql-condition.ts";
import { type OrderedRow, type OrderSpec, RowOrdering } from "./row-ordering.ts";

/** Finds the first rows of an order among rows that are added one by one; keeps no other rows. */
export class TopRows {
  readonly #limit: number;
  readonly #ordering: RowOrdering;
  #top: OrderedRow[] = [];

  constructor(spec: OrderSpec, limit: number) {
    this.#limit = limit;
    this.#ordering = new RowOrdering(spec);
  }

  /** Adds rows: the id, then `columnsOf` the order. */
  add(rows: readonly (readonly SqlValue[])[]): void {
    if (this.#top.length === 0) return this.#addFirst(rows);
    for (const row of rows) this.#addRow(this.#ordering.read(row));
  }

  /** A condition that no further row meets which is among the first ones; empty if there is none. */
  get irrelevantRows(): SqlCondition {
    const last = this.#top[this.#limit - 1];
    return last ? this.#ordering.afterCondition(last) : MATCH_ALL;
  }

  get ids(): number[] {
    return this.#top.map(({ id }) => id);
  }

  #addFirst(rows: readonly (readonly SqlValue[])[]): void {
    const first = rows.map((row) => this.#ordering.read(row));
    this.#ordering.adaptTo(first);
    this.#top = first.toSorted((a, b) => this.#ordering.compare(a, b)).slice(0, this.#limit);
  }

  #addRow(row: OrderedRow): void {
    const top = this.#top;
    const last = top[this.#limit - 1];
    if (last && this.#ordering.compare(last, row) <= 0) return;
    if (last) top.pop();
    let low = 0;
    let high = top.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = top[middle];
      if (other && this.#ordering.compare(other, row) <= 0) low = middle + 1;
      else high = middle;
    }
    top.splice(low, 0, row);
  }
}

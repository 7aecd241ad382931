import type { SqlValue } from "../../sqlite/database.ts";
import { quote } from "../../sqlite/quote.ts";
import { MATCH_ALL, type SqlCondition } from "../filters/sql-condition.ts";
import type { SortKey } from "./parse-sort.ts";
import type { ReadField } from "./read-table.ts";
import { positionOf, SortKeyValues, type SortValue } from "./sort-comparator.ts";

/** A sort of a table: by columns, then by position, then by id. */
export interface OrderSpec {
  readonly table: string;
  readonly keys: readonly { readonly field: ReadField; readonly key: SortKey }[];
  /** The column of manual positions; null for tables without one, and where the id decides before. */
  readonly position: string | null;
  readonly idDescending: boolean;
}

/** A row in the form in which it is compared. */
export interface OrderedRow {
  readonly id: number;
  readonly values: readonly SortValue[];
  readonly position: number;
}

/** Returns the columns that decide about an order, as they follow the id in rows that are read for it. */
export const columnsOf = ({ keys, position }: OrderSpec): string[] => [
  ...keys.map(({ field }) => field.id),
  ...(position === null ? [] : [position]),
];

/** Compares rows that are read one by one. */
export class RowOrdering {
  readonly #spec: OrderSpec;
  readonly #values: readonly SortKeyValues[];

  constructor(spec: OrderSpec) {
    this.#spec = spec;
    this.#values = spec.keys.map(({ field, key }) => new SortKeyValues(field, key));
  }

  /** @param row the id, then `columnsOf` the order */
  read(row: readonly SqlValue[]): OrderedRow {
    return {
      id: Number(row[0]),
      values: this.#values.map((value, at) => value.read(row[at + 1] ?? null)),
      position: this.#spec.position === null ? 0 : positionOf(row[this.#values.length + 1]),
    };
  }

  /** Adapts comparisons to typical rows of a table. Call before rows are compared. */
  adaptTo(rows: readonly OrderedRow[]): void {
    for (const [at, value] of this.#values.entries()) value.adaptTo(rows.flatMap(({ values }) => values[at] ?? []));
  }

  /** Returns a condition that is true for most rows that come after `row`, and for no others; empty if there is none. */
  afterCondition({ values: [value] }: OrderedRow): SqlCondition {
    const column = this.#spec.keys[0]?.field.id;
    const ranges = value ? (this.#values[0]?.rangesAfter(value) ?? []) : [];
    if (column === undefined || ranges.length === 0) return MATCH_ALL;
    // The plus prevents SQLite from applying column affinity.
    const name = `+${quote(column)}`;
    const terms = ranges.map(() => `(${name} >= ? collate nocase and ${name} < ? collate nocase)`);
    return { sql: terms.join(" or "), args: ranges.flat() };
  }

  compare(a: OrderedRow, b: OrderedRow): number {
    for (let at = 0; at < this.#values.length; at++) {
      const [x, y] = [a.values[at], b.values[at]];
      const difference = x && y ? (this.#values[at]?.compare(x, y) ?? 0) : 0;
      if (difference !== 0) return difference;
    }
    return a.position - b.position || (this.#spec.idDescending ? b.id - a.id : a.id - b.id);
  }
}

import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import { type SortKey } from "../read/parse-sort.ts";
import { SortKeyValues, type SortValue } from "../read/sort-comparator.ts";
import { compareValues } from "./compare-values.ts";

/** A row as it was read: the id, then columns. */
type Row = readonly SqlValue[];

/** One of the different values of a column. */
export interface GroupValue {
  readonly shown: unknown;
  /** Its text, if the request asks for it. */
  readonly text: string | undefined;
  /** How records are sorted by it; empty if groups have their own order. */
  readonly sortValues: readonly SortValue[];
}

/** How the values of a column make groups. */
export interface GroupLevelOptions {
  /** Where rows have the column: 0 for the id. */
  readonly at: number;
  /** Returns the value of a cell in answers. */
  readonly shown: (stored: SqlValue) => unknown;
  /** Returns the text of the cell of a row. */
  readonly text: ((row: Row) => string) | null;
  /** The keys by which records are sorted, and where rows have them; empty if groups have their own order. */
  readonly keys: readonly { readonly key: SortKey; readonly at: number }[];
}

/** Distinct cells of which the value is cached. */
const MAX_CACHED_CELLS = 200_000;

/** Finds the values of one column to group by. */
export class GroupLevel {
  readonly #options: GroupLevelOptions;
  readonly #keys: readonly { readonly values: SortKeyValues; readonly at: number }[];
  /** Where rows have another column that decides about the value, besides `at`. */
  readonly #otherAt: number | null;
  /** Values by cell: most cells repeat, and comparing them in their own form takes a tenth of the time. */
  readonly #byCell = new Map<SqlValue, { readonly other: SqlValue; readonly value: GroupValue }>();
  readonly #byKey = new Map<string, GroupValue>();

  constructor(options: GroupLevelOptions) {
    this.#options = options;
    this.#keys = options.keys.flatMap(({ key, at }) =>
      key.field === null ? [] : [{ values: new SortKeyValues(key.field, key), at }],
    );
    this.#otherAt = options.keys.find(({ at }) => at !== options.at)?.at ?? null;
  }

  /** The number of different values so far. */
  get size(): number {
    return this.#byKey.size;
  }

  valueOf(row: Row): GroupValue {
    const cell = row[this.#options.at] ?? null;
    const other = this.#otherAt === null ? null : (row[this.#otherAt] ?? null);
    const cached = this.#byCell.get(cell);
    // Marshalled cells are never identical.
    if (cached && cached.other === other) return cached.value;
    const value = this.#find(row, cell);
    if (!(cell instanceof Uint8Array) && this.#byCell.size < MAX_CACHED_CELLS) this.#byCell.set(cell, { other, value });
    return value;
  }

  /** Compares values in the order of records, or in the order of groups. */
  compare(a: GroupValue, b: GroupValue): number {
    for (const [at, { values }] of this.#keys.entries()) {
      const [x, y] = [a.sortValues[at], b.sortValues[at]];
      const difference = x && y ? values.compare(x, y) : 0;
      if (difference !== 0) return difference;
    }
    if (this.#keys.length > 0) return 0;
    return compareValues(a.shown, b.shown) * (this.#options.keys.some(({ key }) => key.descending) ? -1 : 1);
  }

  #find(row: Row, cell: SqlValue): GroupValue {
    const sortValues = this.#keys.map(({ values, at }) => values.read(row[at] ?? null));
    const shown = sortValues.at(-1)?.blank === 1 ? null : (this.#options.shown(cell) ?? null);
    const key = sortValues.length > 0 ? sortValues.map(keyOf).join(" ") : JSON.stringify(shown);
    let value = this.#byKey.get(key);
    if (!value) {
      value = { shown, text: this.#options.text?.(row), sortValues };
      this.#byKey.set(key, value);
    }
    return value;
  }
}

/** Returns a text that is equal for values that are equal for a key that compares as groups. */
const keyOf = ({ kind, blank, number, other }: SortValue): string =>
  JSON.stringify([kind, blank, numberKey(number), other]);

/** JSON has no form for values that are not finite. */
const numberKey = (number: number): CellValue => (Number.isFinite(number) ? number : String(number));

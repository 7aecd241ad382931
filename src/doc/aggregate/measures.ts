import type { SqlValue } from "../../sqlite/database.ts";
import type { CellValue } from "../../values/cell.ts";
import { plainTexts, positionOf } from "../read/sort-comparator.ts";
import { type DistinctValue, DistinctValues } from "./distinct-values.ts";
import type { ValueBudget } from "./value-budget.ts";

export const MEASURES = ["count", "countDistinct", "sum", "avg", "min", "max", "median", "first", "last"] as const;

export type MeasureName = (typeof MEASURES)[number];

/** A row as it was read: the id, then columns. */
type Row = readonly SqlValue[];

/** What measures need to know of the column that they measure. */
export interface MeasuredColumn {
  /** Returns a cell as in answers; takes it as `decodeRaw` returns it. */
  readonly shown: (raw: CellValue) => unknown;
  /** Returns a value that is equal for cells that are the same in answers. */
  readonly distinctKey: (raw: CellValue) => DistinctValue;
  /** Where rows have their position; undefined if there is none. */
  readonly positionAt: number | undefined;
}

/** Computes one measure of one group. */
export interface Accumulator {
  /** Adds a cell that is not empty, as `decodeRaw` returns it. */
  add(raw: CellValue, row: Row): void;
  result(): unknown;
}

/** Creates the accumulator of a measure. */
export function createAccumulator(name: MeasureName, column: MeasuredColumn, budget: ValueBudget): Accumulator {
  switch (name) {
    case "count":
      return new Count();
    case "countDistinct":
      return new CountDistinct(column, budget);
    case "sum":
      return new Sum();
    case "avg":
      return new Average();
    case "min":
      return new Extreme(-1, column);
    case "max":
      return new Extreme(1, column);
    case "median":
      return new Median(budget);
    case "first":
      return new AtEnd(-1, column);
    case "last":
      return new AtEnd(1, column);
    default:
      return name satisfies never;
  }
}

class Count implements Accumulator {
  #count = 0;

  add(): void {
    this.#count++;
  }

  result(): number {
    return this.#count;
  }
}

class CountDistinct implements Accumulator {
  readonly #column: MeasuredColumn;
  readonly #budget: ValueBudget;
  readonly #values = new DistinctValues();

  constructor(column: MeasuredColumn, budget: ValueBudget) {
    this.#column = column;
    this.#budget = budget;
  }

  add(raw: CellValue): void {
    if (this.#values.add(this.#column.distinctKey(raw))) this.#budget.take(1);
  }

  result(): number {
    return this.#values.size;
  }
}

/** Returns the number of a cell: truth values count as 0 and 1, texts and errors are left out. */
const numberOf = (raw: CellValue): number | null =>
  typeof raw === "number" ? (Number.isFinite(raw) ? raw : null) : typeof raw === "boolean" ? Number(raw) : null;

/** Adds numbers with a compensation of rounding errors: the order of rows must not decide about the last digits. */
class Sum implements Accumulator {
  #sum = 0;
  #compensation = 0;
  count = 0;

  add(raw: CellValue): void {
    const value = numberOf(raw);
    if (value === null) return;
    this.count++;
    const sum = this.#sum + value;
    this.#compensation += Math.abs(this.#sum) >= Math.abs(value) ? this.#sum - sum + value : value - sum + this.#sum;
    this.#sum = sum;
  }

  result(): number | null {
    const sum = this.#sum + this.#compensation;
    return Number.isFinite(sum) ? sum : null;
  }
}

class Average implements Accumulator {
  readonly #sum = new Sum();

  add(raw: CellValue): void {
    this.#sum.add(raw);
  }

  result(): number | null {
    const sum = this.#sum.result();
    return sum === null || this.#sum.count === 0 ? null : sum / this.#sum.count;
  }
}

class Median implements Accumulator {
  readonly #budget: ValueBudget;
  readonly #values: number[] = [];

  constructor(budget: ValueBudget) {
    this.#budget = budget;
  }

  add(raw: CellValue): void {
    const value = numberOf(raw);
    if (value === null) return;
    this.#budget.take(1);
    this.#values.push(value);
  }

  result(): number | null {
    const values = Float64Array.from(this.#values).sort();
    if (values.length === 0) return null;
    const upper = values[values.length >> 1] ?? 0;
    if (values.length % 2 === 1) return upper;
    const lower = values[(values.length >> 1) - 1] ?? 0;
    return lower + (upper - lower) / 2;
  }
}

/** The smallest or largest number or date; of cells without numbers, the first or last text in the order of sorting. */
class Extreme implements Accumulator {
  readonly #direction: 1 | -1;
  readonly #column: MeasuredColumn;
  #number: number | null = null;
  /** The cell of the number. */
  #raw: CellValue = null;
  #text: string | null = null;

  constructor(direction: 1 | -1, column: MeasuredColumn) {
    this.#direction = direction;
    this.#column = column;
  }

  add(raw: CellValue): void {
    const value = numberOf(raw);
    if (value !== null) {
      if (this.#number === null || (value - this.#number) * this.#direction > 0) {
        this.#number = value;
        this.#raw = raw;
      }
    } else if (typeof raw === "string" && raw !== this.#text) {
      if (this.#text === null || plainTexts.compare(raw, this.#text) * this.#direction > 0) this.#text = raw;
    }
  }

  result(): unknown {
    return this.#number === null ? this.#text : this.#column.shown(this.#raw);
  }
}

/** The cell of the first or last row, by position. */
class AtEnd implements Accumulator {
  readonly #direction: 1 | -1;
  readonly #column: MeasuredColumn;
  #found: { raw: CellValue; position: number; id: number } | null = null;

  constructor(direction: 1 | -1, column: MeasuredColumn) {
    this.#direction = direction;
    this.#column = column;
  }

  add(raw: CellValue, row: Row): void {
    const { positionAt } = this.#column;
    const position = positionOf(positionAt === undefined ? undefined : row[positionAt]);
    const id = Number(row[0]);
    const found = this.#found;
    const difference = found ? position - found.position || id - found.id : this.#direction;
    if (difference * this.#direction > 0) this.#found = { raw, position, id };
  }

  result(): unknown {
    return this.#found ? (this.#column.shown(this.#found.raw) ?? null) : null;
  }
}

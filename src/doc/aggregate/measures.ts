import type { CellValue } from "../../values/cell.ts";
import { plainTexts } from "../read/sort-comparator.ts";
import type { ValueBudget } from "./value-budget.ts";

export const MEASURES = ["count", "countDistinct", "sum", "avg", "min", "max", "median", "first", "last"] as const;

export type MeasureName = (typeof MEASURES)[number];

/** A cell in both of its forms. */
export interface MeasuredCell {
  /** As `decodeRaw` returns it. */
  readonly raw: CellValue;
  /** As in answers: null for empty cells, errors and hidden cells. */
  readonly shown: unknown;
}

/** Where a row is in the order by position. */
export interface RowPlace {
  readonly position: number;
  readonly id: number;
}

/** Computes one measure of one group. */
export interface Accumulator {
  /** Adds a cell that is not empty. */
  add(cell: MeasuredCell, place: RowPlace): void;
  result(): unknown;
}

/** Creates the accumulator of a measure. */
export function createAccumulator(name: MeasureName, budget: ValueBudget): Accumulator {
  switch (name) {
    case "count":
      return new Count();
    case "countDistinct":
      return new CountDistinct(budget);
    case "sum":
      return new Sum();
    case "avg":
      return new Average();
    case "min":
      return new Extreme(-1);
    case "max":
      return new Extreme(1);
    case "median":
      return new Median(budget);
    case "first":
      return new AtEnd(-1);
    case "last":
      return new AtEnd(1);
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
  readonly #budget: ValueBudget;
  readonly #values = new Set<unknown>();

  constructor(budget: ValueBudget) {
    this.#budget = budget;
  }

  add({ shown }: MeasuredCell): void {
    // A prefix keeps lists apart from texts that look like them.
    const key =
      typeof shown === "object" ? `["${JSON.stringify(shown)}` : typeof shown === "string" ? `'${shown}` : shown;
    if (this.#values.has(key)) return;
    this.#budget.take(typeof key === "string" ? key.length : 1);
    this.#values.add(key);
  }

  result(): number {
    return this.#values.size;
  }
}

/** Returns the number of a cell: truth values count as 0 and 1, texts and errors are left out. */
const numberOf = ({ raw }: MeasuredCell): number | null =>
  typeof raw === "boolean" ? Number(raw) : typeof raw === "number" && Number.isFinite(raw) ? raw : null;

/** Adds numbers with a compensation of rounding errors: the order of rows must not decide about the last digits. */
class Sum implements Accumulator {
  #sum = 0;
  #compensation = 0;
  count = 0;

  add(cell: MeasuredCell): void {
    const value = numberOf(cell);
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

  add(cell: MeasuredCell): void {
    this.#sum.add(cell);
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

  add(cell: MeasuredCell): void {
    const value = numberOf(cell);
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
  #number: { value: number; shown: unknown } | null = null;
  #text: string | null = null;

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  add(cell: MeasuredCell): void {
    const value = numberOf(cell);
    if (value !== null) {
      if (this.#number === null || (value - this.#number.value) * this.#direction > 0)
        this.#number = { value, shown: cell.shown };
    } else if (typeof cell.raw === "string") {
      if (this.#text === null || plainTexts.compare(cell.raw, this.#text) * this.#direction > 0) this.#text = cell.raw;
    }
  }

  result(): unknown {
    return this.#number ? this.#number.shown : this.#text;
  }
}

/** The cell of the first or last row, by position. */
class AtEnd implements Accumulator {
  readonly #direction: 1 | -1;
  #found: { cell: unknown; position: number; id: number } | null = null;

  constructor(direction: 1 | -1) {
    this.#direction = direction;
  }

  add({ shown }: MeasuredCell, { position, id }: RowPlace): void {
    const found = this.#found;
    const difference = found ? position - found.position || id - found.id : this.#direction;
    if (difference * this.#direction > 0) this.#found = { cell: shown, position, id };
  }

  result(): unknown {
    return this.#found?.cell ?? null;
  }
}

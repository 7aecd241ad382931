import { BYTES_PER_STEP, chargeCell, remainingOfChange } from "../../formula/runtime/budget.ts";
import type { SqlValue } from "../../sqlite/database.ts";
import { type CellValue, isErrorCell } from "../../values/cell.ts";
import type { LookupReader } from "./lookups/lookup-reader.ts";
import type { ColumnNode } from "./nodes.ts";

/** Maximum number of values that a formula may read in its own row: more hardly ever repeat. */
export const MAX_MEMO_INPUTS = 3;
const MAX_ENTRIES = 20_000;
/** Maximum number of list elements in all results. */
const MAX_ELEMENTS = 1_000_000;
/** After this many rows, a memo whose results were rarely used is given up. */
const TRIAL_ROWS = 25_000;
const MIN_HIT_RATIO = 0.25;

/** A result for some values of the inputs. */
interface Entry {
  cell: CellValue;
  /** What the last evaluation spent. */
  steps: number;
  bytes: number;
  /** The keys that it looked up. */
  lookups: readonly Lookup[];
  /** The first evaluation may do work that later ones find done, such as sorting the rows of a key. */
  evaluations: number;
}

interface Lookup {
  readonly reader: LookupReader;
  readonly key: number;
}

/** How cells are evaluated. */
export interface MemoTarget {
  storeResult(column: ColumnNode, row: number, cell: CellValue, stored?: SqlValue): void;
  evaluate(column: ColumnNode, row: number): void;
  /** Runs `work` and calls `observe` for each key that it looks up. */
  observeLookups(observe: (reader: LookupReader, key: number) => void, work: () => void): void;
  /** Returns a number that is unique to an evaluation. */
  nextGeneration(): number;
  /** Changes when cells become pending, which known results may depend on. */
  readonly pendingVersion: number;
}

/**
 * Results of a formula by the values that it reads in its own row, while a column is computed: rows with equal values
 * look up the same records. A result that is found is charged like an evaluation, and its lookups are recorded.
 */
export class RowMemo {
  readonly #column: ColumnNode;
  readonly #target: MemoTarget;
  readonly #pendingVersion: number;
  readonly #entries = new Map<SqlValue, Entry>();
  #elements = 0;
  #rows = 0;
  #hits = 0;
  #isAbandoned = false;

  constructor(column: ColumnNode, target: MemoTarget) {
    this.#column = column;
    this.#target = target;
    this.#pendingVersion = target.pendingVersion;
  }

  /** Computes a cell. `values` are its inputs, `stored` is the value to replace. */
  compute(row: number, values: readonly SqlValue[], stored: SqlValue | undefined): void {
    if (this.#target.pendingVersion !== this.#pendingVersion) this.#abandon();
    const key = this.#isAbandoned ? undefined : keyOf(values);
    if (key === undefined) return this.#target.evaluate(this.#column, row);
    this.#rows++;
    const entry = this.#entries.get(key);
    if (entry && entry.evaluations > 1 && chargeCell(entry.steps, entry.bytes)) this.#use(entry, row, stored);
    else this.#evaluate(row, key, entry);
    if (this.#rows === TRIAL_ROWS && this.#hits < TRIAL_ROWS * MIN_HIT_RATIO) this.#abandon();
  }

  #abandon(): void {
    this.#isAbandoned = true;
    this.#entries.clear();
  }

  #use({ cell, lookups }: Entry, row: number, stored: SqlValue | undefined): void {
    this.#hits++;
    const generation = this.#target.nextGeneration();
    for (const { reader, key } of lookups) reader.recordNumber(row, key, generation);
    this.#column.pending.done(row);
    if (this.#column.values.size > 0) this.#column.values.delete(row);
    this.#target.storeResult(this.#column, row, cell, stored);
  }

  #evaluate(row: number, key: SqlValue, entry: Entry | undefined): void {
    const before = remainingOfChange();
    const lookups: Lookup[] = [];
    const observe = (reader: LookupReader, number: number) => {
      if (reader.column === this.#column) lookups.push({ reader, key: number });
    };
    this.#target.observeLookups(observe, () => this.#target.evaluate(this.#column, row));
    const after = remainingOfChange();
    const cell = this.#column.results.get(row);
    // Written already, or an error, whose budget and message may differ the next time.
    if (cell === undefined || isErrorCell(cell)) return;
    const elements = Array.isArray(cell) ? cell.length : 0;
    if (!entry && (this.#entries.size >= MAX_ENTRIES || this.#elements + elements > MAX_ELEMENTS)) return;
    if (!entry) this.#elements += elements;
    const bytes = before.bytes - after.bytes;
    this.#entries.set(key, {
      cell,
      // `chargeCell` adds the steps for bytes.
      steps: before.steps - after.steps - bytes / BYTES_PER_STEP,
      bytes,
      lookups,
      evaluations: (entry?.evaluations ?? 0) + 1,
    });
  }
}

/** Returns a key that is equal for equal values only; undefined when there is none. */
function keyOf(values: readonly SqlValue[]): SqlValue | undefined {
  for (const value of values) if (value instanceof Uint8Array || Object.is(value, -0)) return undefined;
  const [only = null] = values;
  return values.length <= 1 ? only : JSON.stringify(values);
}

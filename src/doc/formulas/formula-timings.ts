import type { Database } from "../../sqlite/database.ts";

export interface Timing {
  /** Number of computed cells. */
  readonly count: number;
  readonly sumMs: number;
  readonly maxMs: number;
}

/** Table, column and timing; plain data, so that it can be serialized. */
export type Timings = readonly (readonly [tableId: string, colId: string, timing: Timing])[];

/** Evaluation times of formulas by column. */
export class FormulaTimings {
  readonly #tables = new Map<string, Map<string, Timing>>();

  constructor(timings: Timings = []) {
    this.add(timings);
  }

  /** Records an evaluation. `isDone` is false when it was postponed until another cell is computed. */
  record(tableId: string, colId: string, { ms, isDone }: { ms: number; isDone: boolean }): void {
    this.#add(tableId, colId, { count: isDone ? 1 : 0, sumMs: ms, maxMs: ms });
  }

  add(timings: Timings): void {
    for (const [tableId, colId, timing] of timings) this.#add(tableId, colId, timing);
  }

  /** Returns the timings in the order in which columns were first computed. */
  list(): Timings {
    return [...this.#tables].flatMap(([tableId, columns]) =>
      Array.from(columns, ([colId, timing]) => [tableId, colId, timing] as const),
    );
  }

  #add(tableId: string, colId: string, { count, sumMs, maxMs }: Timing): void {
    let columns = this.#tables.get(tableId);
    if (!columns) this.#tables.set(tableId, (columns = new Map()));
    const before = columns.get(colId) ?? { count: 0, sumMs: 0, maxMs: 0 };
    columns.set(colId, {
      count: before.count + count,
      sumMs: before.sumMs + sumMs,
      maxMs: Math.max(before.maxMs, maxMs),
    });
  }
}

const ACTIVE_TIMINGS = new WeakMap<Database, FormulaTimings>();

/** Returns the timings being collected for an open document; undefined when timing is inactive. */
export const activeTimings = (db: Database): FormulaTimings | undefined => ACTIVE_TIMINGS.get(db);

export function setActiveTimings(db: Database, timings: FormulaTimings | null): void {
  if (timings) ACTIVE_TIMINGS.set(db, timings);
  else ACTIVE_TIMINGS.delete(db);
}

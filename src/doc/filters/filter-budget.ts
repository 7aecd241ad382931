import { AppError } from "../../errors.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** How long conditions that SQLite cannot decide may take in one request. */
export const MAX_FILTER_MS = 10_000;

/** How many rows are read between two looks at the clock. */
const ROWS_PER_CHECK = 64;

/** Limits the time for evaluating a filter row by row. Time between the reads of a streamed response does not count. */
export class FilterBudget {
  readonly #clock: Clock;
  #spentMs = 0;
  #startedAt: number | null = null;
  #rows = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Runs `work` at the expense of the budget. @throws AppError `invalid` when it is used up */
  spend<T>(work: () => T): T {
    // The work may contain other work: a path reads the rows of another table.
    if (this.#startedAt !== null) return work();
    this.#startedAt = this.#clock.elapsed();
    try {
      return work();
    } finally {
      this.#spentMs += this.#clock.elapsed() - this.#startedAt;
      this.#startedAt = null;
    }
  }

  countRow(): void {
    if (++this.#rows % ROWS_PER_CHECK === 0) this.check();
  }

  check(): void {
    const running = this.#startedAt === null ? 0 : this.#clock.elapsed() - this.#startedAt;
    if (this.#spentMs + running <= MAX_FILTER_MS) return;
    throw new AppError(
      "filter.time_limit",
      `The filter takes more than ${MAX_FILTER_MS / 1000} seconds; use operators other than matches, or add conditions that select fewer rows`,
    );
  }
}

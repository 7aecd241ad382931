import { AppError } from "../../errors.ts";
import type { Clock } from "../../lib/time/clock.ts";

/** Values that may be in memory for medians and distinct counts, and characters of texts among them. */
const MAX_VALUES = 4_000_000;
export const MAX_GROUPS = 100_000;
const MAX_MS = 10_000;

/** Limits the memory and the time of one aggregation. */
export class ValueBudget {
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #maxGroups: number;
  #values = 0;
  #groups = 0;

  constructor(clock: Clock, { maxGroups = MAX_GROUPS, maxMs = MAX_MS } = {}) {
    this.#clock = clock;
    this.#deadline = clock.elapsed() + maxMs;
    this.#maxGroups = maxGroups;
  }

  /** @throws AppError `limit.exceeded` */
  take(values: number): void {
    this.#values += values;
    if (this.#values > MAX_VALUES)
      throw new AppError("limit.exceeded", "Too many values for median and countDistinct; filter the records");
  }

  /** Counts a further group. @throws AppError `limit.exceeded` */
  addGroup(): void {
    if (++this.#groups > this.#maxGroups)
      throw new AppError("limit.exceeded", `More than ${this.#maxGroups.toLocaleString("en-US")} groups`);
  }

  /** @throws AppError `limit.exceeded` */
  checkTime(): void {
    if (this.#clock.elapsed() > this.#deadline)
      throw new AppError("limit.exceeded", "The aggregation takes too long; filter the records");
  }
}

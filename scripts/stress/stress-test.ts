/** What the trials share. */

export interface StressTestOptions {
  /** The short form, which `scripts/test` runs. */
  readonly isQuick: boolean;
  /** How often; undefined for as often as the trial means. */
  readonly rounds: number | undefined;
  /** For how long at most, where that can be said. */
  readonly minutes: number | undefined;
  /** The same seed makes the same choices; when requests come is up to the machine. */
  readonly seed: number;
}

/** What came out: one line of figures, and what is wrong. */
export interface Outcome {
  readonly figures: string;
  readonly problems: readonly string[];
}

/** One trial. Each is a file here, listed in main.ts. */
export interface StressTest {
  readonly name: string;
  /** Why it cannot be made on this machine. */
  missing?(): string | undefined;
  run(options: StressTestOptions): Promise<Outcome>;
}

/** How many requests there may be in a round of the trials of durability. */
export const requestsPerRound = ({ isQuick }: Pick<StressTestOptions, "isQuick">): number => (isQuick ? 60 : 200);

/** When a trial that began now has to end, on the clock of `performance.now()`. */
export const deadlineAfter = (minutes: number | undefined): number =>
  minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;

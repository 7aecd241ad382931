/** Shared by all stress tests. */

export interface StressTestOptions {
  /** The short form, which `scripts/test` runs. */
  readonly isQuick: boolean;
  /** Number of rounds; undefined for the default of the test. */
  readonly rounds: number | undefined;
  /** Time limit, where one applies. */
  readonly minutes: number | undefined;
  /** The same seed makes the same choices; the timing of requests depends on the machine. */
  readonly seed: number;
  /** Attachments of 20 MB among the writes of `log-kill`. */
  readonly hasLargeAttachments: boolean;
}

/** The result: one line of figures, and the problems. */
export interface Outcome {
  readonly figures: string;
  /** Wrong behaviour: fails the test. */
  readonly problems: readonly string[];
  /**
   * Exceeded limits on time and memory, which other load on the machine affects too: the short form measures again, and
   * fails if they are exceeded three times.
   */
  readonly exceeded?: readonly string[];
}

/** A stress test. Each is a file here, listed in main.ts. */
export interface StressTest {
  readonly name: string;
  /** Returns the reason why this machine cannot run it. */
  missing?(): string | undefined;
  run(options: StressTestOptions): Promise<Outcome>;
}

/** Returns the maximum number of requests per round of the durability tests. */
export const requestsPerRound = ({ isQuick }: Pick<StressTestOptions, "isQuick">): number => (isQuick ? 60 : 200);

/** Returns the deadline of a test that begins now, on the clock of `performance.now()`. */
export const deadlineAfter = (minutes: number | undefined): number =>
  minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;

import type { Clock } from "./clock.ts";

/** Clocks are put right by less than that. */
const MAX_ADJUSTMENT_MS = 24 * 3_600_000;
/** How long a time that was set has to stay as it is before it is believed. */
const DISTRUST_MS = 24 * 3_600_000;

/**
 * Notices that somebody set the machine's clock while the program runs, so that nothing is deleted for its age because
 * of a year mistyped.
 */
export class ClockJumpDetector {
  readonly #clock: Clock;
  #offset: number;
  /** When the clock was set last, as elapsed time. */
  #jumpedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#offset = clock.now() - clock.elapsed();
  }

  /** False for a day after the clock was set to another day. */
  isTrusted(): boolean {
    const elapsed = this.#clock.elapsed();
    const offset = this.#clock.now() - elapsed;
    if (Math.abs(offset - this.#offset) > MAX_ADJUSTMENT_MS) {
      this.#offset = offset;
      this.#jumpedAt = elapsed;
    }
    return elapsed - this.#jumpedAt >= DISTRUST_MS;
  }
}

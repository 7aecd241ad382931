import type { Clock } from "./clock.ts";

/** Smaller adjustments are clock synchronization (NTP). */
const MAX_ADJUSTMENT_MS = 24 * 3_600_000;
/** How long a clock that was set must stay stable before it is trusted. */
const DISTRUST_MS = 24 * 3_600_000;

/**
 * Detects that the machine's clock was set while the program runs, so that a mistyped year does not delete data by age.
 */
export class ClockJumpDetector {
  readonly #clock: Clock;
  #offset: number;
  /** When the clock was last set, as elapsed time. */
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

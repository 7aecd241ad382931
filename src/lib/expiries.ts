import type { Clock } from "./clock.ts";
import type { Timers } from "./timers.ts";

/** A limit in time on something that is under way. */
export interface Expiry {
  /** Milliseconds until the limit is reached. */
  readonly leftMs: number;
  /** Counts anew: so many milliseconds from now, or without end. Of no effect when the limit was reached. */
  extend(ms: number): void;
  /** The thing is over: nothing happens any more. Twice is fine. */
  done(): void;
}

/** How late a limit may be noticed. */
const STEP_MS = 1000;

/**
 * Limits in time that are hardly ever reached, such as those of requests: one timer looks at all of them, so that each
 * costs next to nothing.
 */
export class Expiries {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #running = new Set<RunningExpiry>();
  #isLooking = false;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls `work` once, at most a second after so many milliseconds, unless the thing is done by then. */
  after(ms: number, work: () => void): Expiry {
    const expiry = new RunningExpiry(this.#clock, this.#running, work);
    expiry.extend(ms);
    this.#running.add(expiry);
    this.#lookLater();
    return expiry;
  }

  #lookLater(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#timers.after(STEP_MS, () => {
      this.#isLooking = false;
      const now = this.#clock.elapsed();
      for (const expiry of this.#running) if (expiry.until <= now) expiry.expire();
      if (this.#running.size > 0) this.#lookLater();
    });
  }
}

class RunningExpiry implements Expiry {
  until = 0;
  readonly #clock: Clock;
  readonly #all: Set<RunningExpiry>;
  readonly #work: () => void;

  constructor(clock: Clock, all: Set<RunningExpiry>, work: () => void) {
    this.#clock = clock;
    this.#all = all;
    this.#work = work;
  }

  get leftMs(): number {
    return this.until - this.#clock.elapsed();
  }

  extend(ms: number): void {
    this.until = this.#clock.elapsed() + ms;
  }

  done(): void {
    this.#all.delete(this);
  }

  expire(): void {
    this.done();
    this.#work();
  }
}

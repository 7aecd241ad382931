import { guarded } from "./callbacks.ts";
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

/** How late a limit may be noticed: at most a tenth of it, and a second. */
const MAX_LATE = 0.1;
const MAX_LATE_MS = 1000;

/**
 * Limits in time that are hardly ever reached, such as those of requests: one timer looks at all of them, so that each
 * costs next to nothing.
 */
export class Expiries {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #running = new Set<RunningExpiry>();
  /** When the limits are looked at next, by the clock. */
  #looksAt = Number.POSITIVE_INFINITY;
  #cancelLook: (() => void) | null = null;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls `work` once, soon after so many milliseconds, unless the thing is done by then. */
  after(ms: number, work: () => void): Expiry {
    const stepMs = Math.min(ms * MAX_LATE, MAX_LATE_MS);
    const expiry = new RunningExpiry(this.#clock, this.#running, { stepMs, work });
    expiry.extend(ms);
    this.#running.add(expiry);
    this.#lookWithin(stepMs);
    return expiry;
  }

  /** Looks at the limits after that time, unless they are looked at before. */
  #lookWithin(ms: number): void {
    const at = this.#clock.elapsed() + ms;
    if (at >= this.#looksAt) return;
    this.#cancelLook?.();
    this.#looksAt = at;
    this.#cancelLook = this.#timers.after(ms, () => {
      this.#looksAt = Number.POSITIVE_INFINITY;
      this.#look();
    });
  }

  #look(): void {
    const now = this.#clock.elapsed();
    let stepMs = Number.POSITIVE_INFINITY;
    for (const expiry of this.#running) {
      if (expiry.until <= now) expiry.expire();
      else stepMs = Math.min(stepMs, expiry.stepMs);
    }
    if (this.#running.size > 0) this.#lookWithin(stepMs);
  }
}

class RunningExpiry implements Expiry {
  until = 0;
  /** How often it is looked at. */
  readonly stepMs: number;
  readonly #clock: Clock;
  readonly #all: Set<RunningExpiry>;
  readonly #work: () => void;

  constructor(
    clock: Clock,
    all: Set<RunningExpiry>,
    { stepMs, work }: { readonly stepMs: number; readonly work: () => void },
  ) {
    this.#clock = clock;
    this.#all = all;
    this.stepMs = stepMs;
    // One that fails must not keep the others from ending.
    this.#work = guarded(work);
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

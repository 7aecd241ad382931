import { guarded } from "../callbacks.ts";
import type { Clock } from "./clock.ts";
import type { Timers } from "./timers.ts";

/** A limit in time on something that is under way. */
export interface Timeout {
  /** Milliseconds until the limit is reached. */
  readonly remainingMs: number;
  /** Counts anew: so many milliseconds from now, or without end. Of no effect when the limit was reached. */
  extend(ms: number): void;
  /** The thing is over: nothing happens any more. Twice is fine. */
  cancel(): void;
}

/** How late a limit may be noticed: at most a tenth of it, and a second. */
const TOLERANCE = 0.1;
const MAX_TOLERANCE_MS = 1000;

/**
 * Limits in time that are hardly ever reached, such as those of requests: one timer looks at all of them, so that each
 * costs next to nothing.
 */
export class TimeoutScheduler {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #active = new Set<ActiveTimeout>();
  /** When the limits are looked at next, by the clock. */
  #nextCheckAt = Number.POSITIVE_INFINITY;
  #cancelCheck: (() => void) | null = null;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls `work` once, soon after so many milliseconds, unless the thing is done by then. */
  after(ms: number, onExpired: () => void): Timeout {
    const checkIntervalMs = Math.min(ms * TOLERANCE, MAX_TOLERANCE_MS);
    const timeout = new ActiveTimeout(this.#clock, this.#active, { checkIntervalMs, work: onExpired });
    timeout.extend(ms);
    this.#active.add(timeout);
    this.#checkWithin(checkIntervalMs);
    return timeout;
  }

  /** Looks at the limits after that time, unless they are looked at before. */
  #checkWithin(ms: number): void {
    const at = this.#clock.elapsed() + ms;
    if (at >= this.#nextCheckAt) return;
    this.#cancelCheck?.();
    this.#nextCheckAt = at;
    this.#cancelCheck = this.#timers.after(ms, () => {
      this.#nextCheckAt = Number.POSITIVE_INFINITY;
      this.#check();
    });
  }

  #check(): void {
    const now = this.#clock.elapsed();
    let checkIntervalMs = Number.POSITIVE_INFINITY;
    for (const timeout of this.#active) {
      if (timeout.expiresAtMs <= now) timeout.expire();
      else checkIntervalMs = Math.min(checkIntervalMs, timeout.checkIntervalMs);
    }
    if (this.#active.size > 0) this.#checkWithin(checkIntervalMs);
  }
}

class ActiveTimeout implements Timeout {
  expiresAtMs = 0;
  /** How often it is looked at. */
  readonly checkIntervalMs: number;
  readonly #clock: Clock;
  readonly #active: Set<ActiveTimeout>;
  readonly #onExpired: () => void;

  constructor(
    clock: Clock,
    active: Set<ActiveTimeout>,
    { checkIntervalMs, work }: { readonly checkIntervalMs: number; readonly work: () => void },
  ) {
    this.#clock = clock;
    this.#active = active;
    this.checkIntervalMs = checkIntervalMs;
    // One that fails must not keep the others from ending.
    this.#onExpired = guarded(work);
  }

  get remainingMs(): number {
    return this.expiresAtMs - this.#clock.elapsed();
  }

  extend(ms: number): void {
    this.expiresAtMs = this.#clock.elapsed() + ms;
  }

  cancel(): void {
    this.#active.delete(this);
  }

  expire(): void {
    this.cancel();
    this.#onExpired();
  }
}

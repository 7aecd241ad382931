import { guarded } from "../callbacks.ts";
import type { Clock } from "./clock.ts";
import type { Timers } from "./timers.ts";

/** A timeout of work in progress. */
export interface Timeout {
  /** Milliseconds until the timeout. */
  readonly remainingMs: number;
  /** Restarts the timeout: so many milliseconds from now, or none. No effect after it has fired. */
  extend(ms: number): void;
  /** Cancels the timeout. Idempotent. */
  cancel(): void;
}

/** Maximum delay of a timeout: a tenth of it, at most a second. */
const TOLERANCE = 0.1;
const MAX_TOLERANCE_MS = 1000;

/**
 * Timeouts that rarely fire, such as those of requests: one timer checks all of them, so that each costs next to
 * nothing.
 */
export class TimeoutScheduler {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #active = new Set<ActiveTimeout>();
  /** Time of the next check. */
  #nextCheckAt = Number.POSITIVE_INFINITY;
  #cancelCheck: (() => void) | null = null;

  constructor(clock: Clock, timers: Timers) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Calls `work` once after about so many milliseconds, unless cancelled before. */
  after(ms: number, onExpired: () => void): Timeout {
    const checkIntervalMs = Math.min(ms * TOLERANCE, MAX_TOLERANCE_MS);
    const timeout = new ActiveTimeout(this.#clock, this.#active, { checkIntervalMs, work: onExpired });
    timeout.extend(ms);
    this.#active.add(timeout);
    this.#checkWithin(checkIntervalMs);
    return timeout;
  }

  /** Schedules a check after that time, unless one is due earlier. */
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
  /** Check interval. */
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
    // An exception in one must not keep the others from firing.
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

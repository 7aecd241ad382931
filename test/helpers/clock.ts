import type { Clock } from "../../src/lib/time/clock.ts";
import type { Timers } from "../../src/lib/time/timers.ts";

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const DAY = 24 * 60 * MINUTE;

/** A clock that advances with every reading. */
export class TickingClock implements Clock {
  #elapsed = 0;
  looks = 0;
  /** Advance per reading. */
  tickMs: number;

  constructor(tickMs: number) {
    this.tickMs = tickMs;
  }

  now(): number {
    return Date.UTC(2026, 0, 1) + this.#elapsed;
  }

  elapsed(): number {
    this.looks++;
    this.#elapsed += this.tickMs;
    return this.#elapsed;
  }
}

/** A clock that advances only on demand. */
export class TestClock implements Clock {
  #now: number;
  #elapsed = 0;

  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  pass(ms: number): void {
    this.#now += ms;
    this.#elapsed += ms;
  }

  /** Sets the wall clock: no monotonic time passes. */
  jump(ms: number): void {
    this.#now += ms;
  }
}

/** Timers that fire when the clock is advanced. */
export class TestTimers implements Timers {
  readonly clock = new TestClock();
  readonly #waiting = new Set<{ at: number; work: () => void }>();

  after(ms: number, work: () => void): () => void {
    const one = { at: this.clock.elapsed() + ms, work };
    this.#waiting.add(one);
    return () => this.#waiting.delete(one);
  }

  pass(ms: number): void {
    this.clock.pass(ms);
    for (const one of this.#waiting) {
      if (one.at > this.clock.elapsed()) continue;
      this.#waiting.delete(one);
      one.work();
    }
  }
}

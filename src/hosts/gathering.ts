import { soon, waitingTimers } from "../lib/timers.ts";

/** After a commit that took less, those who wait are not waited for: the next commit comes soon enough. */
const SLOW_MS = 3;
/** Nobody waits longer than this for others to come. */
const MOST_MS = 10;
/** What comes this soon after a commit was waiting during it. */
const SOON_MS = 0.3;

interface Group<T> {
  items: T[];
  isDue: boolean;
  /** Runs while others are waited for. */
  cancelTimer: (() => void) | null;
  /** How many come at a time, as far as one knows from those before. */
  expected: number;
  commitMs: number;
  endedAt: number;
}

/**
 * Gathers what arrives for the same key at about the same time, to be done at once. Whatever arrived in one turn of
 * the event loop, and while the last lot was written to the disk, is one lot. Where that takes long, a moment is waited
 * for those who were just answered and come again: else they would miss every other lot.
 */
export class Gathering<T> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #perform: (key: string, items: readonly T[]) => number;

  /** @param perform does what was gathered, and answers how many milliseconds the disk took */
  constructor(perform: (key: string, items: readonly T[]) => number) {
    this.#perform = perform;
  }

  add(key: string, item: T): void {
    const group = this.#groups.get(key) ?? freshGroup<T>();
    this.#groups.set(key, group);
    group.items.push(item);
    if (group.cancelTimer && group.items.length >= group.expected) this.flush(key);
    else if (!group.isDue) {
      group.isDue = true;
      soon(() => this.#consider(key, group));
    }
  }

  /** Does at once what was gathered for a key. */
  flush(key: string): void {
    const group = this.#groups.get(key);
    if (!group) return;
    const { items } = group;
    group.cancelTimer?.();
    group.cancelTimer = null;
    group.isDue = false;
    group.items = [];
    if (items.length === 0) return;
    group.commitMs = this.#perform(key, items);
    group.expected = items.length;
    group.endedAt = performance.now();
  }

  /** Does all that was gathered. */
  flushAll(): void {
    for (const key of this.#groups.keys()) this.flush(key);
  }

  /** Forgets how it went for a key, unless something is gathered for it. */
  forget(key: string): void {
    if (this.#groups.get(key)?.items.length === 0) this.#groups.delete(key);
  }

  #consider(key: string, group: Group<T>): void {
    if (!group.isDue || group.cancelTimer) return;
    if (performance.now() - group.endedAt < SOON_MS) group.expected += group.items.length;
    if (group.commitMs < SLOW_MS || group.items.length >= group.expected) return this.flush(key);
    group.cancelTimer = waitingTimers.after(Math.min(group.commitMs / 2, MOST_MS), () => this.flush(key));
  }
}

const freshGroup = <T>(): Group<T> => ({
  items: [],
  isDue: false,
  cancelTimer: null,
  expected: 1,
  commitMs: 0,
  endedAt: 0,
});

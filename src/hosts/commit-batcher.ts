import { runSoon, referencedTimers } from "../lib/time/timers.ts";

/** After a commit that took less, those who wait are not waited for: the next commit comes soon enough. */
const FAST_COMMIT_MS = 3;
/** Nobody waits longer than this for others to come. */
const MAX_WAIT_MS = 10;
/** What comes this soon after a commit was waiting during it. */
const BACKLOG_MS = 0.3;

interface PendingBatch<T> {
  items: T[];
  isScheduled: boolean;
  /** Runs while others are waited for. */
  cancelTimer: (() => void) | null;
  /** How many come at a time, as far as one knows from those before. */
  expectedItems: number;
  commitMs: number;
  committedAt: number;
}

/**
 * Gathers what arrives for the same key at about the same time, to be done at once. Whatever arrived in one turn of
 * the event loop, and while the last lot was written to the disk, is one lot. Where that takes long, a moment is waited
 * for those who were just answered and come again: else they would miss every other lot.
 */
export class CommitBatcher<T> {
  readonly #batches = new Map<string, PendingBatch<T>>();
  readonly #commit: (key: string, items: readonly T[]) => number;

  /** @param commit does what was gathered, and answers how many milliseconds the disk took */
  constructor(commit: (key: string, items: readonly T[]) => number) {
    this.#commit = commit;
  }

  add(key: string, item: T): void {
    const batch = this.#batches.get(key) ?? createBatch<T>();
    this.#batches.set(key, batch);
    batch.items.push(item);
    if (batch.cancelTimer && batch.items.length >= batch.expectedItems) this.flush(key);
    else if (!batch.isScheduled) {
      batch.isScheduled = true;
      runSoon(() => this.#schedule(key, batch));
    }
  }

  /** Does at once what was gathered for a key. */
  flush(key: string): void {
    const batch = this.#batches.get(key);
    if (!batch) return;
    const { items } = batch;
    batch.cancelTimer?.();
    batch.cancelTimer = null;
    batch.isScheduled = false;
    batch.items = [];
    if (items.length === 0) return;
    batch.commitMs = this.#commit(key, items);
    batch.expectedItems = items.length;
    batch.committedAt = performance.now();
  }

  /** Does all that was gathered. */
  flushAll(): void {
    for (const key of this.#batches.keys()) this.flush(key);
  }

  /** Forgets how it went for a key, unless something is gathered for it. */
  evict(key: string): void {
    if (this.#batches.get(key)?.items.length === 0) this.#batches.delete(key);
  }

  #schedule(key: string, batch: PendingBatch<T>): void {
    if (!batch.isScheduled || batch.cancelTimer) return;
    if (performance.now() - batch.committedAt < BACKLOG_MS) batch.expectedItems += batch.items.length;
    if (batch.commitMs < FAST_COMMIT_MS || batch.items.length >= batch.expectedItems) return this.flush(key);
    batch.cancelTimer = referencedTimers.after(Math.min(batch.commitMs / 2, MAX_WAIT_MS), () => this.flush(key));
  }
}

const createBatch = <T>(): PendingBatch<T> => ({
  items: [],
  isScheduled: false,
  cancelTimer: null,
  expectedItems: 1,
  commitMs: 0,
  committedAt: 0,
});

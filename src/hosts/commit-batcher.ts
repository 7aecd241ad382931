import { runSoon, referencedTimers } from "../lib/time/timers.ts";

/** Below this commit time the batcher does not wait for more items: the next commit follows soon enough. */
const FAST_COMMIT_MS = 3;
/** Upper limit for the time an item waits for others. */
const MAX_WAIT_MS = 10;
/** Items added this soon after a commit were already queued during it. */
const BACKLOG_MS = 0.3;

interface PendingBatch<T> {
  items: T[];
  isScheduled: boolean;
  /** Cancels the timer that waits for more items; null when none is running. */
  cancelTimer: (() => void) | null;
  /** Estimated number of concurrent writers, from the size of previous batches. */
  expectedItems: number;
  commitMs: number;
  committedAt: number;
}

/**
 * Group commit: collects items per key and commits them together. A batch contains the items that were added in one
 * turn of the event loop and while the previous batch was written to disk. When commits are slow, the batcher also
 * waits briefly for clients that just received their response and send the next write: otherwise they would miss every
 * other batch.
 */
export class CommitBatcher<T> {
  readonly #batches = new Map<string, PendingBatch<T>>();
  readonly #commit: (key: string, items: readonly T[]) => number;

  /** @param commit commits a batch and returns how many milliseconds the disk took */
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

  /** Commits the pending items of a key immediately. */
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

  /** Commits all pending items. */
  flushAll(): void {
    for (const key of this.#batches.keys()) this.flush(key);
  }

  /** Drops the statistics of a key, unless items are pending. */
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

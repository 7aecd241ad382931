import type { EntryKind } from "./create-entries.ts";
import type { HookState } from "./delivery-stats.ts";

/** Rows of one change that are queued or were recently sent; their content is in the file. */
export interface OutboxEntry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly rowCount: number;
  /** How many queues and attempts refer to it. */
  referenceCount: number;
}

/** After this many removals from its front, the list is compacted. */
const COMPACT_AFTER = 1000;

/** The queue of one webhook, oldest entry first. */
export class HookQueue {
  readonly id: string;
  state: HookState;
  #entries: OutboxEntry[] = [];
  #first = 0;
  #waiting = 0;

  constructor(id: string, state: HookState) {
    this.id = id;
    this.state = state;
  }

  /** The number of pending events. */
  get waiting(): number {
    return this.#waiting;
  }

  push(entry: OutboxEntry): void {
    entry.referenceCount++;
    this.#entries.push(entry);
    this.#waiting += entry.rowCount;
  }

  /** Adds a stored entry if it is still pending. Call in the order of entries. */
  restore(entry: OutboxEntry): void {
    const { doneTo, batchTo, droppedTo } = this.state;
    if (entry.id <= doneTo || (entry.id > (batchTo ?? 0) && entry.id <= droppedTo)) return;
    this.push(entry);
  }

  /**
   * Returns the entries of the next batch, the same until they are removed: at most this many rows, unless a single
   * entry has more. Existing and removed rows are in separate batches.
   */
  nextBatch(maxRows: number): readonly OutboxEntry[] {
    const { batchTo } = this.state;
    const nextBatch: OutboxEntry[] = [];
    let rows = 0;
    for (let at = this.#first; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (!entry || entry.kind !== (nextBatch[0] ?? entry).kind) break;
      if (batchTo === null ? nextBatch.length > 0 && rows + entry.rowCount > maxRows : entry.id > batchTo) break;
      nextBatch.push(entry);
      rows += entry.rowCount;
    }
    if (batchTo === null) this.state = { ...this.state, batchTo: nextBatch.at(-1)?.id ?? null };
    return nextBatch;
  }

  /** Removes the completed entries. */
  removeSent(): OutboxEntry[] {
    const removed: OutboxEntry[] = [];
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (entry.id > this.state.doneTo) break;
      removed.push(this.#shift(entry));
    }
    this.#compact();
    return removed;
  }

  /** Drops the oldest entries beyond the limit, except for those being sent, and counts them. */
  dropOldest(limit: number): OutboxEntry[] {
    if (this.#waiting <= limit) return [];
    const { batchTo } = this.state;
    const sending: OutboxEntry[] = [];
    const dropped: OutboxEntry[] = [];
    while (this.#waiting > limit) {
      const entry = this.#entries[this.#first];
      // The newest entry stays even when it alone exceeds the limit.
      if (!entry || this.#first === this.#entries.length - 1) break;
      if (batchTo !== null && entry.id <= batchTo) {
        sending.push(entry);
        this.#first++;
      } else dropped.push(this.#shift(entry));
    }
    this.#first -= sending.length;
    for (const [at, entry] of sending.entries()) this.#entries[this.#first + at] = entry;
    this.#compact();
    const droppedCount = dropped.reduce((sum, { rowCount }) => sum + rowCount, this.state.droppedCount);
    this.state = { ...this.state, droppedTo: dropped.at(-1)?.id ?? this.state.droppedTo, droppedCount };
    return dropped;
  }

  clear(): OutboxEntry[] {
    const all = this.#entries.slice(this.#first);
    this.#entries = [];
    this.#first = 0;
    this.#waiting = 0;
    return all;
  }

  #shift(entry: OutboxEntry): OutboxEntry {
    this.#first++;
    this.#waiting -= entry.rowCount;
    return entry;
  }

  /** Releases the memory of removed entries from time to time. */
  #compact(): void {
    if (this.#first >= COMPACT_AFTER && this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
  }
}

import type { EntryKind } from "./events.ts";
import type { HookState } from "./usage.ts";

/** Rows of one change that wait to be sent, or were sent lately; what they are stands in the file. */
export interface Entry {
  readonly id: number;
  readonly kind: EntryKind;
  readonly rowCount: number;
  /** How many queues and tries speak of it. */
  users: number;
}

/** From how many entries taken from its front on a list is made anew. */
const COMPACT_AFTER = 1000;

/** The entries that wait for one webhook, oldest first. */
export class HookQueue {
  readonly id: string;
  state: HookState;
  #entries: Entry[] = [];
  #first = 0;
  #waiting = 0;

  constructor(id: string, state: HookState) {
    this.id = id;
    this.state = state;
  }

  /** How many events wait. */
  get waiting(): number {
    return this.#waiting;
  }

  push(entry: Entry): void {
    entry.users++;
    this.#entries.push(entry);
    this.#waiting += entry.rowCount;
  }

  /** To be given the entries of the file, in order: takes those that still wait. */
  restore(entry: Entry): void {
    const { doneTo, batchTo, droppedTo } = this.state;
    if (entry.id <= doneTo || (entry.id > (batchTo ?? 0) && entry.id <= droppedTo)) return;
    this.push(entry);
  }

  /**
   * The entries to be sent next, the same until they were taken: at most so many rows, unless a single entry has more.
   * Rows that are there and rows that are gone do not go together.
   */
  batch(mostRows: number): readonly Entry[] {
    const { batchTo } = this.state;
    const batch: Entry[] = [];
    let rows = 0;
    for (let at = this.#first; at < this.#entries.length; at++) {
      const entry = this.#entries[at];
      if (!entry || entry.kind !== (batch[0] ?? entry).kind) break;
      if (batchTo === null ? batch.length > 0 && rows + entry.rowCount > mostRows : entry.id > batchTo) break;
      batch.push(entry);
      rows += entry.rowCount;
    }
    if (batchTo === null) this.state = { ...this.state, batchTo: batch.at(-1)?.id ?? null };
    return batch;
  }

  /** Takes the entries away that are done with. */
  takeBatch(): Entry[] {
    const taken: Entry[] = [];
    for (let entry = this.#entries[this.#first]; entry; entry = this.#entries[this.#first]) {
      if (entry.id > this.state.doneTo) break;
      taken.push(this.#shift(entry));
    }
    this.#compact();
    return taken;
  }

  /** Drops the oldest entries beyond the limit, but for those that are being sent, and counts them. */
  dropOver(limit: number): Entry[] {
    if (this.#waiting <= limit) return [];
    const { batchTo } = this.state;
    const kept: Entry[] = [];
    const dropped: Entry[] = [];
    while (this.#waiting > limit) {
      const entry = this.#entries[this.#first];
      // What came last stays, also when it is more than the limit by itself.
      if (!entry || this.#first === this.#entries.length - 1) break;
      if (batchTo !== null && entry.id <= batchTo) {
        kept.push(entry);
        this.#first++;
      } else dropped.push(this.#shift(entry));
    }
    this.#first -= kept.length;
    for (const [at, entry] of kept.entries()) this.#entries[this.#first + at] = entry;
    this.#compact();
    const droppedCount = dropped.reduce((sum, { rowCount }) => sum + rowCount, this.state.droppedCount);
    this.state = { ...this.state, droppedTo: dropped.at(-1)?.id ?? this.state.droppedTo, droppedCount };
    return dropped;
  }

  clear(): Entry[] {
    const all = this.#entries.slice(this.#first);
    this.#entries = [];
    this.#first = 0;
    this.#waiting = 0;
    return all;
  }

  #shift(entry: Entry): Entry {
    this.#first++;
    this.#waiting -= entry.rowCount;
    return entry;
  }

  /** What was taken gives its memory back now and then. */
  #compact(): void {
    if (this.#first >= COMPACT_AFTER && this.#first * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#first);
      this.#first = 0;
    }
  }
}

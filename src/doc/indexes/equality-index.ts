import { GrowingList } from "./growing-list.ts";
import { SharedLog } from "./shared-log.ts";

/** The shared memory of an index: row ids and hashes, grouped by the highest bits of the hash. */
export interface EqualityBase {
  /** Where each group begins, and the end of the last one. */
  readonly starts: Uint32Array;
  readonly hashes: Uint32Array;
  readonly ids: Uint32Array;
}

/** Numbers of the log: a row id and the hash of its cell each. */
const LOG_CAPACITY = 65_536;
/** Above this length of the log the index is merged into a new base. */
const COMPACT_LENGTH = LOG_CAPACITY / 2;
/** Entries a group has on average. */
const GROUP_SIZE = 8;
/** Entries that are moved between two yields: less than a millisecond. */
const SLICE = 32_768;

/**
 * Finds the rows whose cell of one column has a hash: all rows that have it in any committed state since the index was
 * built, and in the current transaction, and possibly rows that have it no longer. The caller compares their cells.
 * Entries are only added: the base never changes, and a changed cell appends its row and hash to the log, so that
 * rollbacks and older snapshots need no care.
 */
export class EqualityIndex {
  readonly log: SharedLog;
  #base: EqualityBase | null;

  constructor(shared?: { base: EqualityBase; log: SharedLog }) {
    this.log = shared?.log ?? new SharedLog(LOG_CAPACITY);
    this.#base = shared?.base ?? null;
  }

  /** Null until it is built. */
  get base(): EqualityBase | null {
    return this.#base;
  }

  get sizeBytes(): number {
    const { starts, hashes, ids } = this.#base ?? EMPTY_BASE;
    return this.log.buffer.byteLength + starts.byteLength + hashes.byteLength + ids.byteLength;
  }

  get needsCompaction(): boolean {
    return this.log.length > COMPACT_LENGTH;
  }

  /** Adds a row's cell. */
  add(id: number, hash: number): void {
    this.log.append([id, hash]);
  }

  /**
   * Adds the rows with a hash to `found`. @returns false when there are more than `limit` in total, or the index must
   * no longer be used
   */
  find(hash: number, found: Set<number>, limit: number): boolean {
    const base = this.#base;
    if (!base || this.log.isClosed) return false;
    const group = groupOf(hash, base.starts.length - 1);
    const end = base.starts[group + 1] ?? 0;
    for (let at = base.starts[group] ?? 0; at < end; at++) {
      if (base.hashes[at] === hash) found.add(base.ids[at] ?? 0);
      if (found.size > limit) return false;
    }
    const { length } = this.log;
    for (let at = 1; at < length; at += 2) {
      if (this.log.at(at) === hash) found.add(this.log.at(at - 1));
    }
    return found.size <= limit && !this.log.isClosed;
  }

  /**
   * Builds the base in steps from what `fill` adds. From before `fill` reads the first cell, all changes must be added
   * to the index.
   */
  *build(fill: (add: (id: number, hash: number) => void) => Iterable<void>): Generator<void> {
    const ids = new GrowingList();
    const hashes = new GrowingList();
    const add = (id: number, hash: number): void => {
      ids.push(id);
      hashes.push(hash);
    };
    for (const _ of fill(add)) yield;
    yield* this.#group(ids, hashes);
  }

  /** Adds the entries of the base to another index, in steps, without those of some rows. */
  *copyTo(add: (id: number, hash: number) => void, excluded: ReadonlySet<number>): Generator<void> {
    const { ids, hashes } = this.#base ?? EMPTY_BASE;
    for (let at = 0; at < ids.length; at++) {
      const id = ids[at] ?? 0;
      if (!excluded.has(id)) add(id, hashes[at] ?? 0);
      if (at % SLICE === 0) yield;
    }
  }

  /** Returns the rows in the log. */
  changedIds(): Set<number> {
    const changed = new Set<number>();
    for (let at = 0; at < this.log.length; at += 2) changed.add(this.log.at(at));
    return changed;
  }

  *#group(ids: GrowingList, hashes: GrowingList): Generator<void> {
    const count = ids.length;
    const groups = 2 ** Math.max(0, Math.ceil(Math.log2(count / GROUP_SIZE)));
    const base = {
      starts: sharedNumbers(groups + 1),
      hashes: sharedNumbers(count),
      ids: sharedNumbers(count),
    };
    const { starts } = base;
    for (let at = 0; at < count; at++) {
      const group = groupOf(hashes.at(at), groups);
      starts[group + 1] = (starts[group + 1] ?? 0) + 1;
      if (at % SLICE === 0) yield;
    }
    for (let group = 0; group < groups; group++) starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
    const next = starts.slice();
    yield;
    for (let at = 0; at < count; at++) {
      const hash = hashes.at(at);
      const group = groupOf(hash, groups);
      const place = next[group] ?? 0;
      next[group] = place + 1;
      base.hashes[place] = hash;
      base.ids[place] = ids.at(at);
      if (at % SLICE === 0) yield;
    }
    this.#base = base;
  }
}

const EMPTY_BASE: EqualityBase = { starts: new Uint32Array(2), hashes: new Uint32Array(0), ids: new Uint32Array(0) };

/** Returns the group of a hash; `groups` is a power of two. */
const groupOf = (hash: number, groups: number): number => Math.floor((hash / 2 ** 32) * groups);

/** Returns zeroes in memory that threads can share. */
export const sharedNumbers = (length: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(length * 4));

import type { AuditTarget, NewAuditEntry } from "../../home/identity/audit-log.ts";
import { networkPrefixOf } from "../../lib/network/networks.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { DeliverNotes } from "../notes.ts";

export interface AuditBufferOptions {
  readonly deliver: DeliverNotes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Each write invalidates the caches of access checks: a batch a second instead of one for each download. */
const WRITE_DELAY_MS = 1000;
/** After a failed write. */
const RETRY_DELAY_MS = 5000;
/** A few megabytes. Further entries are counted only. */
const MAX_ENTRIES = 10_000;
/** Entries in one message to another node. */
const MAX_BATCH = 500;
/** Repeated failures within this time are one entry. */
const COALESCE_MS = 10 * 60_000;
/** Failures are counted for so many combinations of account and network; all further ones together. */
const MAX_COALESCED = 1000;
const CLOSE_ATTEMPTS = 10;
const CLOSE_RETRY_MS = 100;

/** Failures that were not recorded since the first one. */
interface Repeated {
  readonly entry: NewAuditEntry;
  count: number;
  lastTime: number;
}

/**
 * Entries of the audit log that do not belong to a change of the home database. Written in batches, by the server that
 * owns the home database: a crash loses those of the last second.
 */
export class AuditBuffer {
  readonly #options: AuditBufferOptions;
  /** By everything but time and count, in the order of their first event. */
  readonly #entries = new Map<string, NewAuditEntry>();
  /** Entries that are sent, or will be sent again: nothing may be added to them. */
  #batch: readonly NewAuditEntry[] = [];
  /** Entries that found no room. */
  #lost = 0;
  readonly #repeated = new Map<string, Repeated>();
  #cancelTimer: (() => void) | null = null;
  #cancelSummary: (() => void) | null = null;
  #writing: Promise<boolean> | null = null;
  #isClosed = false;

  constructor(options: AuditBufferOptions) {
    this.#options = options;
  }

  /** Buffers an entry. Entries that differ in nothing but their time become one with their number. */
  add(entry: NewAuditEntry): void {
    const key = JSON.stringify({ ...entry, time: 0, count: 0 });
    const same = this.#entries.get(key);
    if (same) this.#entries.set(key, { ...same, count: same.count + entry.count });
    else if (this.#entries.size < MAX_ENTRIES) this.#entries.set(key, entry);
    else this.#lost++;
    this.#schedule(WRITE_DELAY_MS);
  }

  /**
   * Buffers the first failure of an account from a network; repetitions within ten minutes are counted, and become one
   * more entry.
   */
  addFailure(entry: NewAuditEntry): void {
    const user = entry.target["user"]?.id ?? "";
    const network = entry.address === null ? "" : networkPrefixOf(entry.address);
    let key = [entry.event, JSON.stringify(entry.details), user, network].join(" ");
    let recorded = entry;
    if (!this.#repeated.has(key) && this.#repeated.size >= MAX_COALESCED) {
      key = entry.event;
      recorded = { ...entry, target: NO_TARGET, address: null, details: { reason: "many" } };
    }
    const known = this.#repeated.get(key);
    if (known) {
      known.count++;
      known.lastTime = entry.time;
      return;
    }
    this.#repeated.set(key, { entry: recorded, count: 0, lastTime: entry.time });
    this.add(recorded);
    this.#cancelSummary ??= this.#options.timers.after(COALESCE_MS, () => this.#summarise());
  }

  /** Writes the buffer. Returns false when that failed; the entries are kept. */
  flush(): Promise<boolean> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    return this.#writing;
  }

  /** Writes what is left, with several attempts. Must be called before the home database is closed. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#summarise();
    this.#cancelSummary?.();
    for (let attempt = 1; !(await this.flush()) && attempt < CLOSE_ATTEMPTS; attempt++) await Bun.sleep(CLOSE_RETRY_MS);
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#cancelTimer ??= this.#options.timers.after(delayMs, async () => {
      this.#cancelTimer = null;
      if (!(await this.flush())) this.#schedule(RETRY_DELAY_MS);
    });
  }

  #summarise(): void {
    this.#cancelSummary?.();
    this.#cancelSummary = null;
    const found = [...this.#repeated.values()];
    this.#repeated.clear();
    for (const { entry, count, lastTime } of found) if (count > 0) this.add({ ...entry, time: lastTime, count });
  }

  async #write(): Promise<boolean> {
    while (this.#takeBatch()) {
      try {
        await this.#options.deliver({ audit: this.#batch });
      } catch (error) {
        const entries = this.#batch.length + this.#entries.size;
        this.#options.log.warn("audit.write_failed", { entries, error: String(error) });
        return false;
      }
      this.#batch = [];
      if (this.#lost > 0) this.#entries.set("lost", this.#lostEntry());
    }
    return true;
  }

  /** Fills the batch, unless it is to be sent again. Returns false when there is nothing to send. */
  #takeBatch(): boolean {
    if (this.#batch.length > 0) return true;
    const taken = [...this.#entries].slice(0, MAX_BATCH);
    for (const [key] of taken) this.#entries.delete(key);
    this.#batch = taken.map(([, entry]) => entry);
    return taken.length > 0;
  }

  #lostEntry(): NewAuditEntry {
    const count = this.#lost;
    this.#lost = 0;
    return {
      time: this.#options.clock.now(),
      event: "audit.lost",
      actorId: null,
      actor: "server",
      keyId: null,
      address: null,
      target: NO_TARGET,
      details: {},
      count,
    };
  }
}

const NO_TARGET: AuditTarget = {};

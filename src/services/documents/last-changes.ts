import type { Clock } from "../../lib/time/clock.ts";
import { DelayedWriter } from "../../lib/concurrency/delayed-writer.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { WriteNotes } from "../notes.ts";

interface LastChangesOptions {
  readonly write: WriteNotes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Documents change many times a second, and each change of the home database invalidates its caches. */
const WRITE_DELAY_MS = 15_000;

/**
 * Times of the last changes of documents. Recorded in memory and written to the home database in batches: a crash loses
 * only the latest seconds of these times. While another process locks the home database, they are kept and written
 * later.
 */
export class LastChanges {
  readonly #writeNotes: WriteNotes;
  readonly #clock: Clock;
  readonly #writer: DelayedWriter;
  readonly #pending = new Map<string, number>();

  constructor({ write, clock, timers, log }: LastChangesOptions) {
    this.#writeNotes = write;
    this.#clock = clock;
    this.#writer = new DelayedWriter({
      timers,
      delayMs: WRITE_DELAY_MS,
      write: () => this.#write(),
      onError: (error) =>
        log.warn("last_changes.write_failed", { documents: this.#pending.size, error: String(error) }),
    });
  }

  /** Records that a document has just changed. */
  record(uuid: string): void {
    this.#pending.set(uuid, this.#clock.now());
    this.#writer.schedule();
  }

  /** Returns when a document was last changed, including name and location, in milliseconds since the epoch. */
  of({ uuid, updatedAt }: { readonly uuid: string; readonly updatedAt: number }): number {
    return Math.max(updatedAt, this.#pending.get(uuid) ?? 0);
  }

  /** Writes the recorded times now. A failure is logged, and the times are kept for the next attempt. */
  flush(): void {
    this.#writer.flush();
  }

  /** Like `flush`, with several attempts; must be called before the home database is closed. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #write(): void {
    if (this.#pending.size === 0) return;
    this.#writeNotes({ changes: [...this.#pending] });
    this.#pending.clear();
  }
}

import type { Home } from "../../home/home.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { DelayedWriter } from "../../lib/concurrency/delayed-writer.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Timers } from "../../lib/time/timers.ts";

interface LastChangesOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Documents change many times a second, and every change of the home database costs the memory of what was read. */
const WRITE_DELAY_MS = 15_000;

/**
 * When the contents of documents were changed last. Noted at once, written to the home database in portions: a crash
 * costs the latest seconds of what listings say, and nothing else. While another process holds the home database they
 * are kept and written later.
 */
export class LastChanges {
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #writer: DelayedWriter;
  readonly #pending = new Map<string, number>();

  constructor({ home, clock, timers, log }: LastChangesOptions) {
    this.#home = home;
    this.#clock = clock;
    this.#writer = new DelayedWriter({
      timers,
      delayMs: WRITE_DELAY_MS,
      write: () => this.#write(),
      onError: (error) =>
        log.warn("last_changes.write_failed", { documents: this.#pending.size, error: String(error) }),
    });
  }

  /** Takes down that a document was changed now. */
  record(uuid: string): void {
    this.#pending.set(uuid, this.#clock.now());
    this.#writer.schedule();
  }

  /** When a document was changed last, name and place included, in milliseconds since the epoch. */
  of({ uuid, updatedAt }: { readonly uuid: string; readonly updatedAt: number }): number {
    return Math.max(updatedAt, this.#pending.get(uuid) ?? 0);
  }

  /** Writes what was noted at once; a failure is logged, and what was noted is kept for the next time. */
  flush(): void {
    this.#writer.flush();
  }

  /** As `flush`, in several attempts; to be called before the home database is closed. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #write(): void {
    if (this.#pending.size === 0) return;
    this.#home.transaction(() => {
      for (const [uuid, time] of this.#pending) this.#home.documents.recordChange(uuid, time);
    });
    this.#pending.clear();
  }
}

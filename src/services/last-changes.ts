import type { Home } from "../home/home.ts";
import type { Clock } from "../lib/clock.ts";
import { DelayedWrite } from "../lib/delayed-write.ts";
import type { Log } from "../lib/log.ts";
import type { Timers } from "../lib/timers.ts";

interface LastChangesOptions {
  readonly home: Home;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Documents change many times a second, and every change of the home database costs the memory of what was read. */
const WRITTEN_AFTER_MS = 15_000;

/**
 * When the contents of documents were changed last. Noted at once, written to the home database in portions: a crash
 * costs the latest seconds of what listings say, and nothing else. While another process holds the home database they
 * are kept and written later.
 */
export class LastChanges {
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #writing: DelayedWrite;
  readonly #unwritten = new Map<string, number>();

  constructor({ home, clock, timers, log }: LastChangesOptions) {
    this.#home = home;
    this.#clock = clock;
    this.#writing = new DelayedWrite({
      timers,
      delayMs: WRITTEN_AFTER_MS,
      write: () => this.#write(),
      onError: (error) =>
        log.warn("last_changes.write_failed", { documents: this.#unwritten.size, error: String(error) }),
    });
  }

  /** Takes down that a document was changed now. */
  note(uuid: string): void {
    this.#unwritten.set(uuid, this.#clock.now());
    this.#writing.schedule();
  }

  /** When a document was changed last, name and place included, in milliseconds since the epoch. */
  of({ uuid, updatedAt }: { readonly uuid: string; readonly updatedAt: number }): number {
    return Math.max(updatedAt, this.#unwritten.get(uuid) ?? 0);
  }

  /** Writes what was noted at once; a failure is logged, and what was noted is kept for the next time. */
  flush(): void {
    this.#writing.flush();
  }

  /** As `flush`, in several attempts; to be called before the home database is closed. */
  close(): Promise<void> {
    return this.#writing.close();
  }

  #write(): void {
    if (this.#unwritten.size === 0) return;
    this.#home.transaction(() => {
      for (const [uuid, time] of this.#unwritten) this.#home.documents.recordChange(uuid, time);
    });
    this.#unwritten.clear();
  }
}

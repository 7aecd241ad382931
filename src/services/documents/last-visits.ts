import type { Visit } from "../../home/visits.ts";
import { DelayedWriter } from "../../lib/concurrency/delayed-writer.ts";
import type { Log } from "../../lib/observability/log.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { WriteNotes } from "../notes.ts";

interface LastVisitsOptions {
  readonly write: WriteNotes;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly log: Log;
}

/** Each change of the home database invalidates its caches, and users open several pages of a document in a row. */
const WRITE_DELAY_MS = 15_000;

/**
 * When users opened documents. Recorded in memory and written to the home database in batches, as `LastChanges`: a crash
 * loses the latest seconds.
 */
export class LastVisits {
  readonly #writeNotes: WriteNotes;
  readonly #clock: Clock;
  readonly #writer: DelayedWriter;
  /** Times by UUID, by user. */
  readonly #pending = new Map<number, Map<string, number>>();

  constructor({ write, clock, timers, log }: LastVisitsOptions) {
    this.#writeNotes = write;
    this.#clock = clock;
    this.#writer = new DelayedWriter({
      timers,
      delayMs: WRITE_DELAY_MS,
      write: () => this.#write(),
      onError: (error) => log.warn("last_visits.write_failed", { users: this.#pending.size, error: String(error) }),
    });
  }

  /** Records that a user has just opened a document. */
  record(userId: number, uuid: string): void {
    const visits = this.#pending.get(userId) ?? new Map<string, number>();
    visits.set(uuid, this.#clock.now());
    this.#pending.set(userId, visits);
    this.#writer.schedule();
  }

  /** Returns the visits of a user that are not written yet. */
  pendingOf(userId: number): Visit[] {
    return [...(this.#pending.get(userId) ?? [])].map(([uuid, openedAt]) => ({ uuid, openedAt }));
  }

  /** Writes the recorded visits now. A failure is logged, and they are kept for the next attempt. */
  flush(): void {
    this.#writer.flush();
  }

  /** Like `flush`, with several attempts; must be called before the home database is closed. */
  close(): Promise<void> {
    return this.#writer.close();
  }

  #write(): void {
    if (this.#pending.size === 0) return;
    this.#writeNotes({
      visits: [...this.#pending].flatMap(([userId, visits]) =>
        [...visits].map(([uuid, openedAt]) => [userId, uuid, openedAt] as const),
      ),
    });
    this.#pending.clear();
  }
}

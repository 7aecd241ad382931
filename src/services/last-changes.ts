import type { Home } from "../home/home.ts";
import type { Clock } from "../lib/clock.ts";
import type { Timers } from "../lib/timers.ts";

/** Documents change many times a second, and every change of the home database costs the memory of what was read. */
const WRITTEN_AFTER_MS = 15_000;

/**
 * When the contents of documents were changed last. Noted at once, written to the home database in portions: a crash
 * costs the latest seconds of what listings say, and nothing else.
 */
export class LastChanges {
  readonly #home: Home;
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #unwritten = new Map<string, number>();

  constructor({ home, clock, timers }: { home: Home; clock: Clock; timers: Timers }) {
    this.#home = home;
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Takes down that a document was changed now. */
  note(uuid: string): void {
    if (this.#unwritten.size === 0) this.#timers.after(WRITTEN_AFTER_MS, () => this.write());
    this.#unwritten.set(uuid, this.#clock.now());
  }

  /** When a document was changed last, name and place included, in milliseconds since the epoch. */
  of({ uuid, updatedAt }: { readonly uuid: string; readonly updatedAt: number }): number {
    return Math.max(updatedAt, this.#unwritten.get(uuid) ?? 0);
  }

  /** Writes what was noted; called once more before the home database is closed. */
  write(): void {
    const changes = [...this.#unwritten];
    this.#unwritten.clear();
    if (changes.length === 0) return;
    this.#home.transaction(() => {
      for (const [uuid, time] of changes) this.#home.documents.noteChange(uuid, time);
    });
  }
}

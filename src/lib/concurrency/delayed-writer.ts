import { guarded } from "../callbacks.ts";
import type { Timers } from "../time/timers.ts";

export interface DelayedWriterOptions {
  readonly timers: Timers;
  readonly delayMs: number;
  /** Writes the buffer. Must keep the buffer when it throws. */
  readonly write: () => void;
  /** Called with each failure. */
  readonly onError: (error: unknown) => void;
}

/** At shutdown another process may hold the database lock; each attempt also waits for it. */
const CLOSE_ATTEMPTS = 10;
const CLOSE_RETRY_DELAY_MS = 100;

/** Debounces writes of a buffer, in batches. A failed batch is retried with the next write. */
export class DelayedWriter {
  readonly #options: DelayedWriterOptions;
  #cancelTimer: (() => void) | null = null;

  constructor(options: DelayedWriterOptions) {
    this.#options = options;
  }

  /** Schedules a write. */
  schedule(): void {
    const { timers, delayMs } = this.#options;
    this.#cancelTimer ??= timers.after(delayMs, () => {
      this.#cancelTimer = null;
      if (!this.flush()) this.schedule();
    });
  }

  /**
   * Writes immediately.
   * @returns false when it failed
   */
  flush(): boolean {
    let isWritten = true;
    guarded(this.#options.write, (error) => {
      isWritten = false;
      this.#options.onError(error);
    })();
    return isWritten;
  }

  /** Writes for the last time, with several attempts. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    for (let attempt = 1; !this.flush() && attempt < CLOSE_ATTEMPTS; attempt++) await Bun.sleep(CLOSE_RETRY_DELAY_MS);
  }
}

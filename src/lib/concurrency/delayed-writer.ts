import { guarded } from "../callbacks.ts";
import type { Timers } from "../time/timers.ts";

export interface DelayedWriterOptions {
  readonly timers: Timers;
  readonly delayMs: number;
  /** Writes what is buffered. It must keep it when it throws. */
  readonly write: () => void;
  /** Called with each failure. */
  readonly onError: (error: unknown) => void;
}

/** At the end another process may hold the database; each attempt waits for it, too. */
const CLOSE_ATTEMPTS = 10;
const CLOSE_RETRY_DELAY_MS = 100;

/** Writes what is buffered in memory some time after it came, in portions. What fails is written with the next one. */
export class DelayedWriter {
  readonly #options: DelayedWriterOptions;
  #cancelTimer: (() => void) | null = null;

  constructor(options: DelayedWriterOptions) {
    this.#options = options;
  }

  /** To be called when there is something to write. */
  schedule(): void {
    const { timers, delayMs } = this.#options;
    this.#cancelTimer ??= timers.after(delayMs, () => {
      this.#cancelTimer = null;
      if (!this.flush()) this.schedule();
    });
  }

  /** Writes at once. @returns false when it failed */
  flush(): boolean {
    let isWritten = true;
    guarded(this.#options.write, (error) => {
      isWritten = false;
      this.#options.onError(error);
    })();
    return isWritten;
  }

  /** Writes for the last time, in several attempts. */
  async close(): Promise<void> {
    this.#cancelTimer?.();
    for (let attempt = 1; !this.flush() && attempt < CLOSE_ATTEMPTS; attempt++) await Bun.sleep(CLOSE_RETRY_DELAY_MS);
  }
}

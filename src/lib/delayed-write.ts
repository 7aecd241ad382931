import { guarded } from "./callbacks.ts";
import type { Timers } from "./timers.ts";

export interface DelayedWriteOptions {
  readonly timers: Timers;
  readonly delayMs: number;
  /** Writes what is buffered. It must keep it when it throws. */
  readonly write: () => void;
  /** Called with each failure. */
  readonly onError: (error: unknown) => void;
}

/** At the end another process may hold the database; each attempt waits for it, too. */
const ATTEMPTS_AT_END = 10;
const PAUSE_AT_END_MS = 100;

/** Writes what is buffered in memory some time after it came, in portions. What fails is written with the next one. */
export class DelayedWrite {
  readonly #options: DelayedWriteOptions;
  #cancel: (() => void) | null = null;

  constructor(options: DelayedWriteOptions) {
    this.#options = options;
  }

  /** To be called when there is something to write. */
  schedule(): void {
    const { timers, delayMs } = this.#options;
    this.#cancel ??= timers.after(delayMs, () => {
      this.#cancel = null;
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
    this.#cancel?.();
    for (let attempt = 1; !this.flush() && attempt < ATTEMPTS_AT_END; attempt++) await Bun.sleep(PAUSE_AT_END_MS);
  }
}

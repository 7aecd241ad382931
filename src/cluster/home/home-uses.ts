import type { Timers } from "../../lib/time/timers.ts";

/** How long requests that have begun may take before home leaves all the same. */
const MAX_WAIT_MS = 2000;

/** Counts the requests that may use home, so that it can leave between them. */
export class HomeUses {
  #running = 0;
  /** Requests that wait until home has left. */
  #waiting = 0;
  #leaving: Promise<void> | null = null;
  #onUnused: (() => void) | null = null;

  /** Counts a request until the returned function is called. */
  begin(): () => void {
    this.#running++;
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.#running--;
      this.#check();
    };
  }

  /** Waits while home leaves. */
  async whenAllowed(): Promise<void> {
    if (!this.#leaving) return;
    this.#waiting++;
    this.#check();
    try {
      await this.#leaving;
    } finally {
      this.#waiting--;
    }
  }

  /** Runs `work` when the requests that have begun are finished, or took too long. Others wait until it is done. */
  async whileUnused(timers: Timers, work: () => Promise<void>): Promise<void> {
    const left = Promise.withResolvers<void>();
    this.#leaving = left.promise;
    try {
      await this.#whenUnused(timers);
      await work();
    } finally {
      this.#leaving = null;
      left.resolve();
    }
  }

  async #whenUnused(timers: Timers): Promise<void> {
    const unused = Promise.withResolvers<void>();
    const cancel = timers.after(MAX_WAIT_MS, () => unused.resolve());
    this.#onUnused = unused.resolve;
    this.#check();
    await unused.promise;
    this.#onUnused = null;
    cancel();
  }

  #check(): void {
    if (this.#running - this.#waiting === 0) this.#onUnused?.();
  }
}

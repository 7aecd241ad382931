/** Runs asynchronous work with limited concurrency; the rest is queued. */
export class ConcurrencyLimiter {
  #available: number;
  readonly #queue: (() => void)[] = [];

  /** @param maxConcurrent maximum number of concurrent calls */
  constructor(maxConcurrent: number) {
    this.#available = maxConcurrent;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#available > 0) this.#available--;
    else await new Promise<void>((resolve) => this.#queue.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#queue.shift();
      // Hands the slot to the first in the queue.
      if (next) next();
      else this.#available++;
    }
  }
}

/** Runs asynchronous work, only so much at the same time; what is beyond waits for its turn. */
export class ConcurrencyLimiter {
  #available: number;
  readonly #queue: (() => void)[] = [];

  /** @param maxConcurrent how much may run at the same time */
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
      // Whoever waited longest takes over the slot.
      if (next) next();
      else this.#available++;
    }
  }
}

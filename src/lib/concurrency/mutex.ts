/** Runs asynchronous work serially, with a limit on the queue length. */
export class Mutex {
  readonly #maxPending: number;
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;

  /** @param maxPending maximum number of calls queued or running */
  constructor(maxPending: number) {
    this.#maxPending = maxPending;
  }

  /** True when the queue is full. */
  get isFull(): boolean {
    return this.#pending >= this.#maxPending;
  }

  /** Runs `work` after all earlier work has settled. Throws an Error when the queue is full. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new Error("the queue is full");
    this.#pending++;
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => {});
    try {
      return await result;
    } finally {
      this.#pending--;
    }
  }
}

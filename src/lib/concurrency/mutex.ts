/** Runs asynchronous work one after the other, with a limit on how much may wait. */
export class Mutex {
  readonly #maxPending: number;
  #tail: Promise<unknown> = Promise.resolve();
  #pending = 0;

  /** @param maxPending how many may wait or run at a time */
  constructor(maxPending: number) {
    this.#maxPending = maxPending;
  }

  /** True when no more is taken in. */
  get isFull(): boolean {
    return this.#pending >= this.#maxPending;
  }

  /** Runs `work` when all before it is done, whatever came of that. Throws an Error when there is no room. */
  async runExclusive<T>(work: () => Promise<T>): Promise<T> {
    if (this.isFull) throw new Error("too much is waiting");
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

/** Runs asynchronous work, only so much at the same time; what is beyond waits for its turn. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  /** @param count how much may run at the same time */
  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // Whoever waited longest takes over the slot.
      if (next) next();
      else this.#free++;
    }
  }
}

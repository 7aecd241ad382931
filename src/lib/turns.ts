/** Runs asynchronous work one after the other, with a limit on how much may wait. */
export class Turns {
  readonly #most: number;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  /** @param most how many may wait or run at a time */
  constructor(most: number) {
    this.#most = most;
  }

  /** True when no more is taken in. */
  get full(): boolean {
    return this.#count >= this.#most;
  }

  /** Runs `work` when all before it is done, whatever came of that. Throws an Error when there is no room. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.full) throw new Error("too much is waiting");
    this.#count++;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#count--;
    }
  }
}

/**
 * Work that may go on side by side, and work that must be alone. Whoever asks to be alone is not overtaken by those who
 * come later, so that he gets his turn however much is going on.
 */
export class SharedTurns {
  /** Ends when all work before it that must be alone has ended. */
  #alone: Promise<unknown> = Promise.resolve();
  /** The shared work under way since then. */
  #shared: Promise<unknown> = Promise.resolve();

  /** Runs `work` beside other shared work. Gives what it gives. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#alone.then(work);
    // What came of the work is not kept: this goes on as long as there is always some under way.
    this.#shared = Promise.allSettled([this.#shared, turn]).then(() => undefined);
    return turn;
  }

  /** Runs `work` when everything asked for before is done, and nothing else until it is. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const turn = Promise.allSettled([this.#alone, this.#shared]).then(work);
    this.#alone = turn.catch(() => {});
    return turn;
  }
}

/** `SharedTurns` for each of many things, kept as long as there is work for them. */
export class SharedTurnsByKey {
  readonly #turns = new Map<string, { readonly turns: SharedTurns; users: number }>();

  /** As `SharedTurns.shared`, for one thing. */
  shared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#with(key, (turns) => turns.shared(work));
  }

  /** As `SharedTurns.alone`, for one thing. */
  alone<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#with(key, (turns) => turns.alone(work));
  }

  get size(): number {
    return this.#turns.size;
  }

  async #with<T>(key: string, use: (turns: SharedTurns) => Promise<T>): Promise<T> {
    const entry = this.#turns.get(key) ?? { turns: new SharedTurns(), users: 0 };
    this.#turns.set(key, entry);
    entry.users++;
    try {
      return await use(entry.turns);
    } finally {
      if (--entry.users === 0) this.#turns.delete(key);
    }
  }
}

/**
 * Work that may go on side by side, and work that must be alone. Whoever asks to be alone is not overtaken by those who
 * come later, so that he gets his turn however much is going on.
 */
export class ReadWriteLock {
  /** Ends when all work before it that must be alone has ended. */
  #exclusive: Promise<unknown> = Promise.resolve();
  /** The shared work under way since then. */
  #shared: Promise<unknown> = Promise.resolve();

  /** Runs `work` beside other shared work. Gives what it gives. */
  runShared<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#exclusive.then(work);
    // What came of the work is not kept: this goes on as long as there is always some under way.
    this.#shared = Promise.allSettled([this.#shared, result]).then(() => undefined);
    return result;
  }

  /** Runs `work` when everything asked for before is done, and nothing else until it is. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = Promise.allSettled([this.#exclusive, this.#shared]).then(work);
    this.#exclusive = result.catch(() => {});
    return result;
  }
}

/** `SharedTurns` for each of many things, kept as long as there is work for them. */
export class KeyedReadWriteLock {
  readonly #locks = new Map<string, { readonly lock: ReadWriteLock; useCount: number }>();

  /** As `SharedTurns.shared`, for one thing. */
  runShared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#withLock(key, (lock) => lock.runShared(work));
  }

  /** As `SharedTurns.alone`, for one thing. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#withLock(key, (lock) => lock.runExclusive(work));
  }

  get size(): number {
    return this.#locks.size;
  }

  async #withLock<T>(key: string, use: (turns: ReadWriteLock) => Promise<T>): Promise<T> {
    const entry = this.#locks.get(key) ?? { lock: new ReadWriteLock(), useCount: 0 };
    this.#locks.set(key, entry);
    entry.useCount++;
    try {
      return await use(entry.lock);
    } finally {
      if (--entry.useCount === 0) this.#locks.delete(key);
    }
  }
}

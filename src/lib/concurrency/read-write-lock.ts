/**
 * A read-write lock: shared work runs concurrently, exclusive work alone. Fair: a later call never overtakes waiting
 * exclusive work, so writers do not starve.
 */
export class ReadWriteLock {
  /** Settles when all earlier exclusive work has settled. */
  #exclusive: Promise<unknown> = Promise.resolve();
  /** The shared work in flight since then. */
  #shared: Promise<unknown> = Promise.resolve();

  /** Runs `work` concurrently with other shared work. Returns its result. */
  runShared<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#exclusive.then(work);
    // Drops the results: this chain grows as long as shared work overlaps.
    this.#shared = Promise.allSettled([this.#shared, result]).then(() => undefined);
    return result;
  }

  /** Runs `work` after all earlier work has settled, and blocks later work until it has settled. */
  runExclusive<T>(work: () => Promise<T>): Promise<T> {
    const result = Promise.allSettled([this.#exclusive, this.#shared]).then(work);
    this.#exclusive = result.catch(() => {});
    return result;
  }
}

/** A `ReadWriteLock` per key, which exists as long as it is in use. */
export class KeyedReadWriteLock {
  readonly #locks = new Map<string, { readonly lock: ReadWriteLock; useCount: number }>();

  /** `ReadWriteLock.runShared` for one key. */
  runShared<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#withLock(key, (lock) => lock.runShared(work));
  }

  /** `ReadWriteLock.runExclusive` for one key. */
  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#withLock(key, (lock) => lock.runExclusive(work));
  }

  get size(): number {
    return this.#locks.size;
  }

  async #withLock<T>(key: string, use: (lock: ReadWriteLock) => Promise<T>): Promise<T> {
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

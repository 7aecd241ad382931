interface BoundedCacheOptions {
  /** Number of entries at which the cache is cleared. */
  readonly maxEntries: number;
  /** Longer keys are not cached, since they would use the memory of many others. */
  readonly maxKeyLength?: number;
}

/** A cache with a limited number of entries. It is cleared when full, which is cheaper than tracking recency. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  readonly #maxKeyLength: number;

  constructor({ maxEntries, maxKeyLength = Number.POSITIVE_INFINITY }: BoundedCacheOptions) {
    this.#maxEntries = maxEntries;
    this.#maxKeyLength = maxKeyLength;
  }

  /** Returns the cached value, or computes and caches it. Undefined is not cached. */
  get(key: K, compute: (key: K) => V): V {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    if (value === undefined || (typeof key === "string" && key.length > this.#maxKeyLength)) return value;
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }

  /** Call when computed values may have changed. */
  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}

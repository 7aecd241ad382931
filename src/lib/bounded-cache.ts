interface BoundedCacheOptions {
  /** How many keys are remembered; beyond that it starts afresh. */
  readonly maxEntries: number;
  /** Longer texts are not remembered: they would take room from many others. */
  readonly maxKeyLength?: number;
}

/** Remembers what was found for keys of late, where finding costs more than remembering. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #maxEntries: number;
  readonly #maxKeyLength: number;

  constructor({ maxEntries, maxKeyLength = Number.POSITIVE_INFINITY }: BoundedCacheOptions) {
    this.#maxEntries = maxEntries;
    this.#maxKeyLength = maxKeyLength;
  }

  /** What `find` gives for the key, now or when it was asked for before. Undefined is not remembered. */
  get(key: K, compute: (key: K) => V): V {
    const cached = this.#entries.get(key);
    if (cached !== undefined) return cached;
    const value = compute(key);
    if (value === undefined || (typeof key === "string" && key.length > this.#maxKeyLength)) return value;
    if (this.#entries.size >= this.#maxEntries) this.#entries.clear();
    this.#entries.set(key, value);
    return value;
  }

  /** To be called when what would be found may be something else. */
  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}

interface RecentOptions {
  /** How many keys are remembered; beyond that it starts afresh. */
  readonly most: number;
  /** Longer texts are not remembered: they would take room from many others. */
  readonly mostCharacters?: number;
}

/** Remembers what was found for keys of late, where finding costs more than remembering. */
export class Recent<K, V> {
  readonly #found = new Map<K, V>();
  readonly #most: number;
  readonly #mostCharacters: number;

  constructor({ most, mostCharacters = Number.POSITIVE_INFINITY }: RecentOptions) {
    this.#most = most;
    this.#mostCharacters = mostCharacters;
  }

  /** What `find` gives for the key, now or when it was asked for before. Undefined is not remembered. */
  get(key: K, find: (key: K) => V): V {
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const found = find(key);
    if (found === undefined || (typeof key === "string" && key.length > this.#mostCharacters)) return found;
    if (this.#found.size >= this.#most) this.#found.clear();
    this.#found.set(key, found);
    return found;
  }

  /** To be called when what would be found may be something else. */
  clear(): void {
    this.#found.clear();
  }

  get size(): number {
    return this.#found.size;
  }
}

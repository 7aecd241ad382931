/**
 * Remembers what was read, until the home database changes by whatever process: a change of access counts from the
 * next request on, and between changes a request pays a map look-up instead of a query.
 */
export class Memo<T extends object> {
  readonly #generation: () => number;
  readonly #most: number;
  readonly #found = new Map<string, T>();
  #of = -1;

  /**
   * @param generation tells whether anything changed, see `HomeDatabase`
   * @param most how many entries are kept; beyond that it starts afresh
   */
  constructor(generation: () => number, most = 10_000) {
    this.#generation = generation;
    this.#most = most;
  }

  /** What `read` gives for the key; that there is nothing is not remembered. */
  get(key: string, read: () => T | null): T | null {
    const generation = this.#generation();
    if (generation !== this.#of) {
      this.#found.clear();
      this.#of = generation;
    }
    const known = this.#found.get(key);
    if (known) return known;
    const found = read();
    if (found) {
      if (this.#found.size >= this.#most) this.#found.clear();
      this.#found.set(key, found);
    }
    return found;
  }
}

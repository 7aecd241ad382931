import { BoundedCache } from "../lib/bounded-cache.ts";

/**
 * Remembers what was read, until the home database changes by whatever process: a change of access counts from the
 * next request on, and between changes a request pays a map look-up instead of a query.
 */
export class GenerationCache<T extends object> {
  readonly #generation: () => number;
  readonly #entries: BoundedCache<string, T | undefined>;
  #entriesGeneration = -1;

  /**
   * @param generation tells whether anything changed, see `HomeDatabase`
   * @param maxEntries how many entries are kept; beyond that it starts afresh
   */
  constructor(generation: () => number, maxEntries = 10_000) {
    this.#generation = generation;
    this.#entries = new BoundedCache({ maxEntries });
  }

  /** What `read` gives for the key; that there is nothing is not remembered. */
  get(key: string, read: () => T | null): T | null {
    const generation = this.#generation();
    if (generation !== this.#entriesGeneration) {
      this.#entries.clear();
      this.#entriesGeneration = generation;
    }
    return this.#entries.get(key, () => read() ?? undefined) ?? null;
  }
}

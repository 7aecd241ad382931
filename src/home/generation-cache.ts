import { BoundedCache } from "../lib/bounded-cache.ts";

/**
 * Caches query results until any process changes the home database: a change of access takes effect with the next
 * request, and between changes a request costs a map lookup instead of a query.
 */
export class GenerationCache<T extends object> {
  readonly #generation: () => number;
  readonly #entries: BoundedCache<string, T | undefined>;
  #entriesGeneration = -1;

  /**
   * @param generation changes with the database, see `HomeDatabase`
   * @param maxEntries capacity
   */
  constructor(generation: () => number, maxEntries = 10_000) {
    this.#generation = generation;
    this.#entries = new BoundedCache({ maxEntries });
  }

  /** Returns the cached or freshly read value; null results are not cached. */
  get(key: string, read: () => T | null): T | null {
    const generation = this.#generation();
    if (generation !== this.#entriesGeneration) {
      this.#entries.clear();
      this.#entriesGeneration = generation;
    }
    return this.#entries.get(key, () => read() ?? undefined) ?? null;
  }
}

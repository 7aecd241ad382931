import { Recent } from "../lib/recent.ts";

/**
 * Remembers what was read, until the home database changes by whatever process: a change of access counts from the
 * next request on, and between changes a request pays a map look-up instead of a query.
 */
export class Memo<T extends object> {
  readonly #generation: () => number;
  readonly #found: Recent<string, T | undefined>;
  #of = -1;

  /**
   * @param generation tells whether anything changed, see `HomeDatabase`
   * @param most how many entries are kept; beyond that it starts afresh
   */
  constructor(generation: () => number, most = 10_000) {
    this.#generation = generation;
    this.#found = new Recent({ most });
  }

  /** What `read` gives for the key; that there is nothing is not remembered. */
  get(key: string, read: () => T | null): T | null {
    const generation = this.#generation();
    if (generation !== this.#of) {
      this.#found.clear();
      this.#of = generation;
    }
    return this.#found.get(key, () => read() ?? undefined) ?? null;
  }
}

/** Longer texts are not remembered: they would take room from many others. */
const MOST_CHARACTERS = 300;

/** Remembers what was found for texts that were asked for lately, where looking costs more than remembering. */
export class Recent<T> {
  readonly #found = new Map<string, T>();
  readonly #most: number;

  /** @param most how many are remembered; beyond that it starts afresh */
  constructor(most = 1000) {
    this.#most = most;
  }

  /** What `find` gives for the text, now or when it was asked for before: it has to be the same each time. */
  get(text: string, find: (text: string) => T): T {
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    const found = find(text);
    if (text.length > MOST_CHARACTERS) return found;
    if (this.#found.size >= this.#most) this.#found.clear();
    this.#found.set(text, found);
    return found;
  }

  get size(): number {
    return this.#found.size;
  }
}

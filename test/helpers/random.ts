/** A seeded pseudorandom number generator. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }

  /** Returns true once in `turns` calls on average. */
  oneIn(turns: number): boolean {
    return this.below(turns) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** Returns an item of a list that may be empty. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items.length > 0 ? this.pick(items) : undefined;
  }

  /** Returns each item with a probability of one in `turns`, in order. */
  some<T>(items: readonly T[], turns: number): T[] {
    return items.filter(() => this.oneIn(turns));
  }
}

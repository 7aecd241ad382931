/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, but not including, `end`. */
  below(end: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * end);
  }

  /** True once in `turns` calls on average. */
  oneIn(turns: number): boolean {
    return this.below(turns) === 0;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  /** An item of a list that may be empty. */
  pickAny<T>(items: readonly T[]): T | undefined {
    return items.length > 0 ? this.pick(items) : undefined;
  }

  /** Each item once in `turns` times on average, in their order. */
  some<T>(items: readonly T[], turns: number): T[] {
    return items.filter(() => this.oneIn(turns));
  }
}

/** A seeded random number generator. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer from 0 (inclusive) to `end` (exclusive). */
  below(end: number): number;
  /** Returns true with this probability. */
  chance(share: number): boolean;
  /** Returns one of several values. */
  pick<T>(values: readonly T[]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick<T>(values: readonly T[]): T {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("cannot pick from an empty list");
      return value;
    },
  };
}

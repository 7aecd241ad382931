/** The Mersenne Twister of Python's `random.Random`: equal seeds give equal numbers. */

const STATE_SIZE = 624;
const MIDDLE_OFFSET = 397;

export class MersenneTwister {
  readonly #state = new Uint32Array(STATE_SIZE);
  #index = STATE_SIZE;

  constructor(seed: bigint) {
    this.#initialize(toWords(seed < 0n ? -seed : seed));
  }

  /** Returns 32 random bits. */
  nextWord(): number {
    if (this.#index >= STATE_SIZE) this.#generate();
    let word = this.#state[this.#index++] ?? 0;
    word ^= word >>> 11;
    word ^= (word << 7) & 0x9d2c5680;
    word ^= (word << 15) & 0xefc60000;
    return (word ^ (word >>> 18)) >>> 0;
  }

  #generate(): void {
    const state = this.#state;
    for (let at = 0; at < STATE_SIZE; at++) {
      const bits = ((state[at] ?? 0) & 0x80000000) | ((state[(at + 1) % STATE_SIZE] ?? 0) & 0x7fffffff);
      const twist = (bits & 1) === 0 ? 0 : 0x9908b0df;
      state[at] = (state[(at + MIDDLE_OFFSET) % STATE_SIZE] ?? 0) ^ (bits >>> 1) ^ twist;
    }
    this.#index = 0;
  }

  /** Mixes the words of the seed into the state. */
  #initialize(seed: readonly number[]): void {
    const state = this.#state;
    const mixed = (at: number): number => (state[at - 1] ?? 0) ^ ((state[at - 1] ?? 0) >>> 30);
    state[0] = 19_650_218;
    for (let at = 1; at < STATE_SIZE; at++) state[at] = Math.imul(1_812_433_253, mixed(at)) + at;
    let at = 1;
    const advance = () => {
      if (++at < STATE_SIZE) return;
      state[0] = state[STATE_SIZE - 1] ?? 0;
      at = 1;
    };
    for (let step = 0; step < Math.max(STATE_SIZE, seed.length); step++) {
      const seedIndex = step % seed.length;
      state[at] = ((state[at] ?? 0) ^ Math.imul(mixed(at), 1_664_525)) + (seed[seedIndex] ?? 0) + seedIndex;
      advance();
    }
    for (let step = 0; step < STATE_SIZE - 1; step++) {
      state[at] = ((state[at] ?? 0) ^ Math.imul(mixed(at), 1_566_083_941)) - at;
      advance();
    }
    state[0] = 0x80000000;
  }
}

/** Returns the 32-bit words of a non-negative number, least significant first; at least one. */
function toWords(value: bigint): number[] {
  const words: number[] = [];
  for (let remaining = value; remaining > 0n; remaining >>= 32n) words.push(Number(BigInt.asUintN(32, remaining)));
  return words.length > 0 ? words : [0];
}

/** A value of which different ones are counted. */
export type DistinctValue = string | number | boolean;

const FIRST_SIZE = 16;

/** Collisions must not be predictable. */
const [TEXT_SEED, NUMBER_SEED] = crypto.getRandomValues(new Uint32Array(2)) as unknown as [number, number];

/**
 * Counts different values by 64 bits of a hash, which take 16 to 32 bytes: the texts themselves would take several
 * times as much. The probability that two of a million values share their hash is 1 in 30 million.
 */
export class DistinctValues {
  /** Two words for each value; both are 0 in free places. */
  #table = new Uint32Array(2 * FIRST_SIZE);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns true if the value is new. */
  add(value: DistinctValue): boolean {
    if (typeof value === "string") hashText(value);
    else hashNumber(Number(value), typeof value === "boolean");
    if (!insert(this.#table)) return false;
    this.#size++;
    if (this.#size * 4 > this.#table.length) this.#grow();
    return true;
  }

  #grow(): void {
    const former = this.#table;
    const table = new Uint32Array(former.length * 2);
    for (let at = 0; at < former.length; at += 2) {
      low = former[at] ?? 0;
      high = former[at + 1] ?? 0;
      if (low !== 0 || high !== 0) insert(table);
    }
    this.#table = table;
  }
}

/** The hash of the last value, which is not returned as an object: it is computed for each row. */
let low = 0;
let high = 0;

const words = new Float64Array(1);
const halves = new Uint32Array(words.buffer);

function hashText(text: string): void {
  let a = TEXT_SEED ^ text.length;
  let b = NUMBER_SEED ^ 0x9e37_79b9;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 0x85eb_ca6b);
    a = (a << 13) | (a >>> 19);
    b = Math.imul(b ^ code, 0xc2b2_ae35);
    b = (b << 16) | (b >>> 16);
  }
  finish(a, b);
}

function hashNumber(value: number, isBoolean: boolean): void {
  // 0 and -0 are equal.
  words[0] = value + 0;
  const bits = (halves[0] ?? 0) ^ (isBoolean ? 0x5bd1_e995 : 0);
  finish(
    Math.imul(bits ^ NUMBER_SEED, 0x27d4_eb2d) ^ (halves[1] ?? 0),
    Math.imul((halves[1] ?? 0) ^ TEXT_SEED, 0x1656_67b1) ^ bits,
  );
}

/** Spreads all bits over both words. */
function finish(first: number, second: number): void {
  const a = mixed(first ^ (second >>> 15));
  const b = mixed(second ^ Math.imul(a, 0x9e37_79b1));
  low = mixed(a ^ b) >>> 0;
  high = b >>> 0;
  if (low === 0 && high === 0) low = 1;
}

function mixed(word: number): number {
  const half = Math.imul(word ^ (word >>> 16), 0x85eb_ca6b);
  const next = Math.imul(half ^ (half >>> 13), 0xc2b2_ae35);
  return next ^ (next >>> 16);
}

/** Inserts the last hash; returns false if it is a repeated one. */
function insert(table: Uint32Array): boolean {
  const mask = table.length - 1;
  for (let at = (low * 2) & mask; ; at = (at + 2) & mask) {
    if (table[at] === 0 && table[at + 1] === 0) {
      table[at] = low;
      table[at + 1] = high;
      return true;
    }
    if (table[at] === low && table[at + 1] === high) return false;
  }
}

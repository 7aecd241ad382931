import { hashKey } from "./key-hash.ts";
import type { Key } from "./lookup-keys.ts";
import type { KeyNumbers } from "./index-forms.ts";
import { TextPool } from "./text-pool.ts";

const INITIAL_NUMBERS = 64;
/** Bytes of a number in all arrays. */
const NUMBER_BYTES = 16;
/** Values of `#lengths` that are no lengths. */
const IS_NUMBER = -1;
const IS_FREE = -2;
/** Released texts of this size, if they are the larger part, are removed from the pool. */
const MIN_RELEASED_BYTES = 1024 ** 2;

/**
 * The numbers of keys in memory: a hash table of typed arrays, without an object for each key. Numbers of released keys
 * are used again.
 */
export class MemoryKeyNumbers implements KeyNumbers {
  /** Numbers by hash, with open addressing; 0 where there is none. The length is a power of two. */
  #table = new Int32Array(INITIAL_NUMBERS * 2);
  /** By number; numbers start at 1. */
  #hashes = new Int32Array(INITIAL_NUMBERS);
  /** Numbers themselves, positions of texts in the pool, or the next free number. */
  #values = new Float64Array(INITIAL_NUMBERS);
  /** Twice the length of a text, plus 1 if it is wide; or one of the constants above. */
  #lengths = new Int32Array(INITIAL_NUMBERS);
  #count = 1;
  #firstFree = 0;
  #used = 0;
  #texts = new TextPool();
  #releasedBytes = 0;

  find(key: Key): number {
    return this.#table[this.#slotOf(key, hashKey(key))] ?? 0;
  }

  numberOf(key: Key): number {
    const hash = hashKey(key);
    const slot = this.#slotOf(key, hash);
    const found = this.#table[slot] ?? 0;
    if (found !== 0) return found;
    const number = this.#newNumber();
    this.#hashes[number] = hash;
    this.#setKey(number, key);
    this.#table[slot] = number;
    this.#used++;
    if (this.#used * 4 > this.#table.length * 3) this.#growTable();
    return number;
  }

  keyOf(number: number): Key | undefined {
    const length = number > 0 && number < this.#count ? (this.#lengths[number] ?? IS_FREE) : IS_FREE;
    if (length === IS_FREE) return undefined;
    const value = this.#values[number] ?? 0;
    return length === IS_NUMBER ? value : this.#texts.read(value, length >>> 1, (length & 1) === 1);
  }

  *numbers(): Generator<number> {
    for (let number = 1; number < this.#count; number++) if (this.#lengths[number] !== IS_FREE) yield number;
  }

  release(number: number): void {
    const length = this.#lengths[number] ?? IS_FREE;
    if (number <= 0 || number >= this.#count || length === IS_FREE) return;
    this.#removeFromTable(number);
    this.#releasedBytes += textBytes(length);
    this.#lengths[number] = IS_FREE;
    this.#values[number] = this.#firstFree;
    this.#firstFree = number;
    this.#used--;
    if (this.#releasedBytes > MIN_RELEASED_BYTES && this.#releasedBytes * 2 > this.#texts.bytes) this.#compactTexts();
  }

  discard(): void {
    // Garbage collection is enough.
  }

  get bytes(): number {
    return this.#table.length * 4 + this.#values.length * NUMBER_BYTES + this.#texts.bytes;
  }

  /** Returns where the number of a key is, or would be, in the table. */
  #slotOf(key: Key, hash: number): number {
    const table = this.#table;
    const mask = table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = table[slot] ?? 0;
      if (number === 0 || (this.#hashes[number] === hash && this.#isKey(number, key))) return slot;
    }
  }

  #isKey(number: number, key: Key): boolean {
    const length = this.#lengths[number] ?? IS_FREE;
    const value = this.#values[number] ?? 0;
    if (typeof key === "number") return length === IS_NUMBER && (value === key || (value !== value && key !== key));
    return length >>> 1 === key.length && length >= 0 && this.#texts.equals(value, key, (length & 1) === 1);
  }

  #newNumber(): number {
    const free = this.#firstFree;
    if (free !== 0) {
      this.#firstFree = this.#values[free] ?? 0;
      return free;
    }
    if (this.#count === this.#values.length) this.#growNumbers();
    return this.#count++;
  }

  #setKey(number: number, key: Key): void {
    if (typeof key === "number") {
      // Minus zero equals zero.
      this.#values[number] = key + 0;
      this.#lengths[number] = IS_NUMBER;
      return;
    }
    const isWide = TextPool.isWide(key);
    this.#values[number] = this.#texts.add(key, isWide);
    this.#lengths[number] = key.length * 2 + (isWide ? 1 : 0);
  }

  /** Removes a number, and moves the following ones to where they are found without it. */
  #removeFromTable(number: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let hole = (this.#hashes[number] ?? 0) & mask;
    while (table[hole] !== number) hole = (hole + 1) & mask;
    for (let slot = (hole + 1) & mask; table[slot] !== 0; slot = (slot + 1) & mask) {
      const home = (this.#hashes[table[slot] ?? 0] ?? 0) & mask;
      // The number may move if its own slot is not between the hole and where it is.
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      table[hole] = table[slot] ?? 0;
      hole = slot;
    }
    table[hole] = 0;
  }

  #growTable(): void {
    const table = new Int32Array(this.#table.length * 2);
    const mask = table.length - 1;
    for (const number of this.#table) {
      if (number === 0) continue;
      let slot = (this.#hashes[number] ?? 0) & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = number;
    }
    this.#table = table;
  }

  #growNumbers(): void {
    const length = Math.ceil(this.#values.length * 1.5);
    const values = new Float64Array(length);
    values.set(this.#values);
    this.#values = values;
    const hashes = new Int32Array(length);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const lengths = new Int32Array(length);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
  }

  #compactTexts(): void {
    const texts = new TextPool();
    for (const number of this.numbers()) {
      const length = this.#lengths[number] ?? IS_FREE;
      if (length === IS_NUMBER) continue;
      this.#values[number] = texts.addFrom(this.#texts, this.#values[number] ?? 0, textBytes(length));
    }
    this.#texts = texts;
    this.#releasedBytes = 0;
  }
}

/** Returns the bytes of a text in the pool, given an element of `#lengths`. */
const textBytes = (length: number): number => (length < 0 ? 0 : (length & 1) === 1 ? (length >>> 1) * 2 : length >>> 1);

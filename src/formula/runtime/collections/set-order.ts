import { spendBytes } from "../budget.ts";
import type { HashKey } from "../values.ts";

/**
 * Returns the order in which CPython iterates over a set of small ints: the slots of its hash table follow from the
 * values. Returns undefined where the order is unpredictable, as for strings, whose hashes are randomized per run.
 */
export function hashTableOrder(keys: readonly HashKey[]): number[] | undefined {
  if (keys.length < 2) return undefined;
  if (!keys.every((key) => typeof key === "number" && Number.isSafeInteger(key))) return undefined;
  let table = new HashTable(8);
  let used = 0;
  for (const [index, key] of keys.entries()) {
    table.insert(hashOf(key as number), index);
    used++;
    if (used * 5 < (table.size - 1) * 3) continue;
    let size = 8;
    while (size <= (used > 50_000 ? used * 2 : used * 4)) size *= 2;
    const larger = new HashTable(size);
    for (const indices of table.indexes()) larger.insert(hashOf(keys[indices] as number), indices);
    table = larger;
  }
  return [...table.indexes()];
}

/** Python's hash of an int. CPython reserves -1 for errors. */
function hashOf(value: number): bigint {
  const modulus = (1n << 61n) - 1n;
  const size = BigInt(Math.abs(value)) % modulus;
  const hash = value < 0 ? -size : size;
  return BigInt.asUintN(64, hash === -1n ? -2n : hash);
}

const NEIGHBOURS = 9;
const PERTURB_SHIFT = 5n;

class HashTable {
  readonly size: number;
  readonly #slots: (number | undefined)[];

  constructor(size: number) {
    spendBytes(size * 8);
    this.size = size;
    this.#slots = Array.from({ length: size });
  }

  insert(hash: bigint, index: number): void {
    const mask = this.size - 1;
    let perturb = hash;
    let at = Number(hash & BigInt(mask));
    for (;;) {
      const last = at + NEIGHBOURS <= mask ? at + NEIGHBOURS : at;
      for (let insert = at; insert <= last; insert++) {
        if (this.#slots[insert] === undefined) {
          this.#slots[insert] = index;
          return;
        }
      }
      perturb >>= PERTURB_SHIFT;
      at = Number((BigInt(at) * 5n + 1n + perturb) & BigInt(mask));
    }
  }

  indexes(): number[] {
    return this.#slots.filter((index) => index !== undefined);
  }
}

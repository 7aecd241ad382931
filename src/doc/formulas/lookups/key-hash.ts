import type { Key } from "./lookup-keys.ts";

const MULTIPLIER = 0x5bd1_e995;
/** Differs between processes, so that keys with equal hashes cannot be chosen. */
const SEED = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;

const FLOAT = new Float64Array(1);
const HALVES = new Int32Array(FLOAT.buffer);

/** Returns a hash of 32 bits, equal for equal keys. */
export function hashKey(key: Key): number {
  let hash = SEED;
  if (typeof key === "number") {
    // Minus zero equals zero.
    FLOAT[0] = key + 0;
    hash = mix(mix(hash, HALVES[0] ?? 0), HALVES[1] ?? 0);
  } else {
    for (let i = 0; i < key.length; i++) hash = mix(hash, key.charCodeAt(i));
  }
  return mix(hash, hash >>> 17);
}

function mix(hash: number, value: number): number {
  const mixed = Math.imul(hash ^ value, MULTIPLIER);
  return mixed ^ (mixed >>> 15);
}

import type { CellValue } from "../../values/cell.ts";

const NULL_HASH = 0x9e37_79b1;
const FNV_PRIME = 0x0100_0193;
/** Longer texts are hashed by their beginning and length. */
const MAX_HASHED_LENGTH = 256;

const float = new Float64Array(1);
const floatBits = new Uint32Array(float.buffer);

/**
 * Returns an unsigned 32-bit hash that is equal for equal cells: as for lookups, booleans equal 0 and 1, numbers equal
 * numbers, and texts and lists equal those with the same characters or JSON.
 */
export function cellHash(value: CellValue): number {
  if (typeof value === "string") return textHash(value, 0x811c_9dc5);
  if (typeof value === "number") return numberHash(value);
  if (typeof value === "boolean") return numberHash(Number(value));
  return value === null ? NULL_HASH : textHash(JSON.stringify(value), 0x5bd1_e995);
}

function numberHash(value: number): number {
  // All zeroes are equal, and so are all NaN.
  float[0] = value === 0 ? 0 : Number.isNaN(value) ? Number.NaN : value;
  return mixed(Math.imul((floatBits[0] ?? 0) ^ 0x2c1b_3c6d, FNV_PRIME) ^ (floatBits[1] ?? 0));
}

function textHash(text: string, seed: number): number {
  let hash = seed ^ text.length;
  const length = Math.min(text.length, MAX_HASHED_LENGTH);
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), FNV_PRIME);
  return mixed(hash);
}

/** Spreads the bits: the highest ones select the bucket. */
function mixed(hash: number): number {
  let bits = hash;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

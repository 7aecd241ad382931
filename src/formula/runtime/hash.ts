import { spendBytes } from "./budget.ts";
import { typeError } from "./errors.ts";
import type { HashKey, PyObject, PyValue } from "./object.ts";

/**
 * Returns a hash key: equal values have equal keys, so `1`, `1.0` and `True` share one. Strings that start like the
 * keys of tuples and other objects get a prefix. Returns undefined for unhashable values.
 */
export function hashKey(value: PyValue): HashKey | undefined {
  if (typeof value === "string") return value.startsWith("\0") ? `\0s${value}` : value;
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return value === null ? null : value.hashKey();
}

/** Serializes a key to a unique string. */
export function hashKeyText(key: HashKey): string {
  if (typeof key === "string") return `s${key.length}:${key}`;
  if (key === null) return "N,";
  return typeof key === "object" ? `o${identityNumberOf(key)},` : `n${key},`;
}

/** Returns the key of a value. Throws PyError TypeError for unhashable values. */
export function requireHashable(value: PyValue): HashKey {
  const key = hashKey(value);
  if (key === undefined) throw typeError(`unhashable type: '${(value as PyObject).typeName}'`);
  return key;
}

/** Returns the key of a tuple with these elements; undefined if one of them is unhashable. */
export function tupleKey(items: readonly PyValue[]): string | undefined {
  let key = "\0t";
  for (const item of items) {
    const part = hashKey(item);
    if (part === undefined) return undefined;
    key += hashKeyText(part);
  }
  spendBytes(key.length * 2);
  return key;
}

const identityNumbers = new WeakMap<object, number>();
let lastIdentity = 0;

/** Returns a number that is unique to the object. */
export function identityNumberOf(object: object): number {
  let identity = identityNumbers.get(object);
  if (identity === undefined) {
    identity = ++lastIdentity;
    identityNumbers.set(object, identity);
  }
  return identity;
}

import { spendBytes, spendSteps } from "../budget.ts";
import { PyError, typeError } from "../errors.ts";
import { requireHashable } from "../hash.ts";
import { type HashKey, itemsOf, pyEquals, PyObject, pyRepr, type PyValue, typeName } from "../values.ts";

interface Entry {
  readonly key: PyValue;
  value: PyValue;
}

/** Approximate size of a new entry. */
const ENTRY_BYTES = 64;

/** Returns the KeyError for a missing key. */
export const keyError = (key: PyValue): PyError => new PyError("KeyError", pyRepr(key), { args: [key] });

/** A `dict`: keys keep their insertion order. */
export class PyDict extends PyObject {
  readonly typeName: string = "dict";
  #entries = new Map<HashKey, Entry>();
  #isReprInProgress = false;

  /** Creates a dict from pairs. */
  static of(pairs: Iterable<readonly [PyValue, PyValue]>): PyDict {
    const dict = new PyDict();
    for (const [key, value] of pairs) dict.set(key, value);
    return dict;
  }

  /** Returns an empty dict of the same type. */
  emptyCopy(): PyDict {
    return new PyDict();
  }

  get(key: PyValue): PyValue | undefined {
    spendSteps(1);
    return this.#entries.get(requireHashable(key))?.value;
  }

  has(key: PyValue): boolean {
    spendSteps(1);
    return this.#entries.has(requireHashable(key));
  }

  set(key: PyValue, value: PyValue): void {
    const hash = requireHashable(key);
    const entry = this.#entries.get(hash);
    if (entry) entry.value = value;
    else {
      spendBytes(ENTRY_BYTES);
      this.#entries.set(hash, { key, value });
    }
  }

  /** Returns false if the key does not exist. */
  delete(key: PyValue): boolean {
    return this.#entries.delete(requireHashable(key));
  }

  clear(): void {
    this.#entries.clear();
  }

  keys(): PyValue[] {
    spendBytes(this.#entries.size * 8);
    return Array.from(this.#entries.values(), (entry) => entry.key);
  }

  values(): PyValue[] {
    spendBytes(this.#entries.size * 8);
    return Array.from(this.#entries.values(), (entry) => entry.value);
  }

  entries(): [PyValue, PyValue][] {
    spendBytes(this.#entries.size * 32);
    return Array.from(this.#entries.values(), (entry) => [entry.key, entry.value]);
  }

  /** Returns a copy of the same type. */
  copy(): PyDict {
    const copy = this.emptyCopy();
    copy.update(this);
    return copy;
  }

  /** Adds the entries of a dict or of a list of pairs. */
  update(other: PyValue): void {
    const source = other instanceof PyObject ? (other.payload ?? other) : other;
    const pairs = source instanceof PyDict ? source.entries() : itemsOf(source).map(readPair);
    for (const [key, value] of pairs) this.set(key, value);
  }

  override items(): readonly PyValue[] {
    return this.keys();
  }

  override length(): number {
    return this.#entries.size;
  }

  override *iterate(): Iterator<PyValue> {
    const { size } = this.#entries;
    for (const { key } of this.#entries.values()) {
      yield key;
      if (this.#entries.size !== size) throw new PyError("RuntimeError", "dictionary changed size during iteration");
    }
  }

  override truth(): boolean {
    return this.#entries.size > 0;
  }

  override contains(value: PyValue): boolean {
    return this.has(value);
  }

  override hashKey(): undefined {
    return undefined;
  }

  override equals(other: PyValue): boolean {
    if (!(other instanceof PyDict) || other.#entries.size !== this.#entries.size) return false;
    for (const [hash, { value }] of this.#entries) {
      const match = other.#entries.get(hash);
      if (!match || !pyEquals(value, match.value)) return false;
    }
    return true;
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (sign !== "|" || !(other instanceof PyDict)) return undefined;
    const merged = (reflected ? other : this).copy();
    merged.update(reflected ? this : other);
    return merged;
  }

  override augmented(sign: string, other: PyValue): PyValue | undefined {
    if (sign !== "|") return undefined;
    this.update(other);
    return this;
  }

  /** Returns the value for a missing key, which subclasses may provide. Throws PyError KeyError. */
  missingValue(key: PyValue): PyValue {
    throw keyError(key);
  }

  override getItem(index: PyValue): PyValue {
    return this.get(index) ?? (this.has(index) ? null : this.missingValue(index));
  }

  override setItem(index: PyValue, value: PyValue | undefined): boolean {
    if (value !== undefined) this.set(index, value);
    else if (!this.delete(index)) throw keyError(index);
    return true;
  }

  repr(): string {
    return this.entriesRepr();
  }

  /** `{'a': 1}` */
  protected entriesRepr(): string {
    // A dict may contain itself.
    if (this.#isReprInProgress) return "{...}";
    this.#isReprInProgress = true;
    try {
      spendSteps(this.#entries.size);
      const text = Array.from(this.#entries.values(), ({ key, value }) => `${pyRepr(key)}: ${pyRepr(value)}`).join(
        ", ",
      );
      spendBytes(text.length * 2);
      return `{${text}}`;
    } finally {
      this.#isReprInProgress = false;
    }
  }
}

function readPair(value: PyValue, index: number): [PyValue, PyValue] {
  if (typeof value !== "string" && !(value instanceof PyObject && value.iterate())) {
    throw typeError(`cannot convert dictionary update sequence element #${index} to a sequence`);
  }
  const items = itemsOf(value);
  const [key, item] = items;
  if (items.length !== 2 || key === undefined || item === undefined) {
    const text = `dictionary update sequence element #${index} has length ${items.length}; 2 is required`;
    throw new PyError("ValueError", text);
  }
  return [key, item];
}

/** The live view returned by `keys()`, `values()` and `items()`. */
export class PyDictView extends PyObject {
  readonly typeName: string;
  readonly dict: PyDict;
  readonly #read: () => PyValue[];
  readonly #isSet: boolean;

  constructor(kind: "keys" | "values" | "items", dict: PyDict, read: () => PyValue[]) {
    super();
    this.typeName = `dict_${kind}`;
    this.dict = dict;
    this.#read = read;
    this.#isSet = kind !== "values";
  }

  override items(): readonly PyValue[] {
    return this.#read();
  }

  override length(): number {
    return this.dict.length();
  }

  override truth(): boolean {
    return this.dict.truth();
  }

  override contains(value: PyValue): boolean | undefined {
    return this.typeName === "dict_keys" ? this.dict.has(value) : undefined;
  }

  /** True for set-like views. */
  get isSet(): boolean {
    return this.#isSet;
  }

  repr(): string {
    spendSteps(this.dict.length());
    return `${this.typeName}([${this.#read().map(pyRepr).join(", ")}])`;
  }
}

/** Returns the mapping of a `**value` argument as a dict. Throws PyError TypeError. */
export function keywordSource(value: PyValue): PyDict {
  if (value instanceof PyDict) return value;
  const payload = value instanceof PyObject ? value.payload : undefined;
  if (payload instanceof PyDict) return payload;
  throw typeError(`'${typeName(value)}' object is not a mapping`);
}

/** Returns the keyword arguments of `**value`. Throws PyError TypeError. */
export function keywordEntries(value: PyValue): [string, PyValue][] {
  return keywordSource(value)
    .entries()
    .map(([key, item]) => {
      if (typeof key !== "string") throw typeError("keywords must be strings");
      return [key, item];
    });
}

import { spendBytes, spendSteps } from "../budget.ts";
import { PyDictView } from "./dicts.ts";
import { PyError } from "../errors.ts";
import { hashKeyText, requireHashable } from "../hash.ts";
import { hashTableOrder } from "./set-order.ts";
import { type HashKey, itemsOf, PyObject, pyRepr, type PyValue } from "../values.ts";

const ENTRY_BYTES = 48;

/** A `set` or `frozenset`. */
export class PySet extends PyObject {
  readonly typeName: string;
  #entries = new Map<HashKey, PyValue>();
  /** The elements in order; reset by changes. */
  #cachedOrder: readonly PyValue[] | undefined;

  constructor(items: Iterable<PyValue> = [], isFrozen = false) {
    super();
    this.typeName = isFrozen ? "frozenset" : "set";
    for (const item of items) this.add(item);
  }

  get isFrozen(): boolean {
    return this.typeName === "frozenset";
  }

  add(item: PyValue): void {
    const key = requireHashable(item);
    if (this.#entries.has(key)) return;
    spendBytes(ENTRY_BYTES);
    this.#cachedOrder = undefined;
    this.#entries.set(key, item);
  }

  /** Returns false if the element does not exist. */
  delete(item: PyValue): boolean {
    this.#cachedOrder = undefined;
    return this.#entries.delete(hashableKey(item));
  }

  clear(): void {
    this.#cachedOrder = undefined;
    this.#entries.clear();
  }

  has(item: PyValue): boolean {
    spendSteps(1);
    return this.#entries.has(hashableKey(item));
  }

  /** Returns a new set of the same type. */
  emptyCopyWith(items: Iterable<PyValue>): PySet {
    return new PySet(items, this.isFrozen);
  }

  override items(): readonly PyValue[] {
    if (this.#cachedOrder) return this.#cachedOrder;
    spendBytes(this.#entries.size * 8);
    const items = [...this.#entries.values()];
    const order = hashTableOrder([...this.#entries.keys()]);
    this.#cachedOrder = order ? order.map((index) => items[index] ?? null) : items;
    return this.#cachedOrder;
  }

  override *iterate(): Iterator<PyValue> {
    const { size } = this.#entries;
    for (const item of this.items()) {
      yield item;
      if (this.#entries.size !== size) throw new PyError("RuntimeError", "Set changed size during iteration");
    }
  }

  override length(): number {
    return this.#entries.size;
  }

  override truth(): boolean {
    return this.#entries.size > 0;
  }

  override contains(value: PyValue): boolean {
    return this.has(value);
  }

  override hashKey(): HashKey | undefined {
    if (!this.isFrozen) return undefined;
    const parts = Array.from(this.#entries.keys(), hashKeyText);
    return `\0f${parts.toSorted().join("\0")}`;
  }

  override equals(other: PyValue): boolean {
    const set = asSet(other);
    return set !== undefined && set.#entries.size === this.#entries.size && this.isSubset(set);
  }

  isSubset(other: PySet): boolean {
    spendSteps(this.#entries.size);
    for (const key of this.#entries.keys()) if (!other.#entries.has(key)) return false;
    return true;
  }

  override ordered(sign: string, other: PyValue): PyValue | undefined {
    const set = asSet(other);
    if (!set) return undefined;
    const differ = set.#entries.size !== this.#entries.size;
    if (sign.startsWith("<")) return this.isSubset(set) && (sign === "<=" || differ);
    return set.isSubset(this) && (sign === ">=" || differ);
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    const set = asSet(other);
    if (!set) return undefined;
    return reflected ? set.combine(sign, this) : this.combine(sign, set);
  }

  override augmented(sign: string, other: PyValue): PyValue | undefined {
    const set = asSet(other);
    const result = set && !this.isFrozen ? this.combine(sign, set) : undefined;
    if (!result) return undefined;
    this.replaceWith(result);
    return this;
  }

  /** Replaces the elements by those of another set. */
  replaceWith(other: PySet): void {
    this.#cachedOrder = undefined;
    this.#entries = new Map(other.#entries);
  }

  /** Returns `this sign other` for set operators. */
  combine(sign: string, other: PySet): PySet | undefined {
    switch (sign) {
      case "|":
        return this.emptyCopyWith([...this.items(), ...other.items()]);
      case "&": {
        const [small, large] = other.length() > this.length() ? [this, other] : [other, this];
        return this.emptyCopyWith(small.items().filter((item) => large.has(item)));
      }
      case "-":
        return this.emptyCopyWith(this.items().filter((item) => !other.has(item)));
      case "^":
        return this.emptyCopyWith([
          ...this.items().filter((item) => !other.has(item)),
          ...other.items().filter((item) => !this.has(item)),
        ]);
      default:
        return undefined;
    }
  }

  repr(): string {
    if (this.#entries.size === 0) return `${this.typeName}()`;
    spendSteps(this.#entries.size);
    const text = `{${this.items().map(pyRepr).join(", ")}}`;
    spendBytes(text.length * 2);
    return this.isFrozen ? `frozenset(${text})` : text;
  }
}

/** A set looked up in a set is converted to a frozenset. */
const hashableKey = (item: PyValue): HashKey =>
  item instanceof PySet && !item.isFrozen ? requireHashable(new PySet(item.items(), true)) : requireHashable(item);

/** Converts an operand of a set operator: a set or a set-like dict view. */
export function asSet(value: PyValue): PySet | undefined {
  if (value instanceof PySet) return value;
  return value instanceof PyDictView && value.isSet ? new PySet(value.items()) : undefined;
}

/** Returns the elements of any iterable as a set. */
export function toSet(value: PyValue): PySet {
  return value instanceof PySet ? value : new PySet(itemsOf(value));
}

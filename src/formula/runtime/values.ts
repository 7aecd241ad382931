import { spendBytes, spendSteps } from "./budget.ts";
import { PyError } from "./errors.ts";
import { tupleKey } from "./hash.ts";
import { type HashKey, PyObject, type PyValue } from "./object.ts";
import { parseFloatText, parseIntText, writeFloat, writeInt } from "./numbers/numbers.ts";
import { codePoints, compareText, quoteText, textLength } from "./text/text.ts";

export { type HashKey, PyObject, type PyValue } from "./object.ts";

/** Lists and tuples. */
export abstract class PySequence extends PyObject {
  /** Returns a sequence of the same type that takes ownership of `items`. */
  abstract withItems(items: PyValue[]): PySequence;

  abstract override items(): readonly PyValue[];

  /** `list` or `tuple`, also for subclasses: only sequences of the same kind compare with each other. */
  abstract readonly sequenceKind: string;

  override truth(): boolean {
    return this.items().length > 0;
  }

  override equals(other: PyValue): boolean {
    if (!(other instanceof PySequence) || other.sequenceKind !== this.sequenceKind) return false;
    const matches = other.items();
    if (matches.length !== this.items().length) return false;
    return other === this || this.items().every((item, index) => pyEquals(item, matches[index] ?? null));
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PySequence) || other.sequenceKind !== this.sequenceKind) return undefined;
    const matches = other.items();
    for (const [index, item] of this.items().entries()) {
      const match = matches[index];
      if (match === undefined) break;
      if (!pyEquals(item, match)) return pyCompare(item, match);
    }
    return this.items().length - matches.length;
  }

  protected joinItems(): string {
    spendSteps(this.items().length * 6);
    const text = this.items().map(pyRepr).join(", ");
    spendBytes(text.length * 2);
    return text;
  }
}

export class PyList extends PySequence {
  readonly typeName: string = "list";
  readonly sequenceKind = "list";
  #items: PyValue[];
  #isReprInProgress = false;

  /** Takes ownership of `items`: changing the list changes them. */
  constructor(items: PyValue[]) {
    super();
    this.#items = items;
  }

  override items(): PyValue[] {
    return this.#items;
  }

  /** Iteration observes changes of the list. */
  override iterate(): Iterator<PyValue> {
    return this.#items[Symbol.iterator]();
  }

  /** Replaces the elements. */
  replaceItems(items: PyValue[]): void {
    this.#items = items;
  }

  override hashKey(): undefined {
    return undefined;
  }

  withItems(items: PyValue[]): PyList {
    return new PyList(items);
  }

  repr(): string {
    // A list may contain itself.
    if (this.#isReprInProgress) return "[...]";
    this.#isReprInProgress = true;
    try {
      return `[${this.joinItems()}]`;
    } finally {
      this.#isReprInProgress = false;
    }
  }
}

export class PyTuple extends PySequence {
  readonly typeName: string = "tuple";
  readonly sequenceKind = "tuple";
  readonly #items: readonly PyValue[];

  constructor(items: readonly PyValue[]) {
    super();
    this.#items = items;
  }

  override items(): readonly PyValue[] {
    return this.#items;
  }

  override hashKey(): HashKey | undefined {
    return tupleKey(this.#items);
  }

  withItems(items: PyValue[]): PyTuple {
    return new PyTuple(items);
  }

  repr(): string {
    return this.items().length === 1 ? `(${this.joinItems()},)` : `(${this.joinItems()})`;
  }
}

export type Keywords = ReadonlyMap<string, PyValue>;

/** A built-in function. */
export class PyFunction extends PyObject {
  readonly typeName: string = "builtin_function_or_method";
  readonly name: string;
  readonly call: (positional: readonly PyValue[], keywords: Keywords) => PyValue;

  constructor(name: string, call: PyFunction["call"]) {
    super();
    this.name = name;
    this.call = call;
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__call__") return this;
    return name === "__name__" || name === "__qualname__" ? this.name : undefined;
  }

  /** Returns the function bound to `self` as its first argument; itself if it is not a method. */
  bind(_self: PyValue): PyFunction {
    return this;
  }

  repr(): string {
    return `<built-in function ${this.name}>`;
  }
}

/** A text in a cell of a column with another type. */
export class AltText extends PyObject {
  readonly typeName = "AltText";
  readonly text: string;
  /** The column's type: `Date` */
  readonly columnType: string;

  constructor(text: string, columnType: string) {
    super();
    this.text = text;
    this.columnType = columnType;
  }

  repr(): string {
    return `AltText(${quoteText(this.text)})`;
  }

  override str(): string {
    return this.text;
  }

  override equals(other: PyValue): boolean {
    return other instanceof AltText && other.text === this.text;
  }

  override toFloat(): number {
    return parseFloatText(this.text);
  }

  override toInt(): bigint {
    return parseIntText(this.text);
  }

  override attribute(): never {
    throw new PyError("InvalidTypedValue", `Invalid ${this.columnType}: ${this.text}`, {
      details: [this.columnType, this.text],
    });
  }
}

/** Returns the type name for messages: `int`, `datetime.date`. */
export function typeName(value: PyValue): string {
  const module = value instanceof PyObject ? value.typeModule : undefined;
  return module === undefined ? unqualifiedTypeName(value) : `${module}.${unqualifiedTypeName(value)}`;
}

/** Returns `type(value).__name__`. */
export function unqualifiedTypeName(value: PyValue): string {
  if (value === null) return "NoneType";
  if (value instanceof PyObject) return value.typeName;
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "int" : "float";
}

/** Returns Python's truth value. */
export function isTruthy(value: PyValue): boolean {
  if (typeof value === "number") return value !== 0;
  // NaN, which is falsy in JavaScript, is handled above.
  return value instanceof PyObject ? value.truth() : Boolean(value);
}

/** Returns `repr(value)`. */
export function pyRepr(value: PyValue): string {
  if (value === null) return "None";
  if (value instanceof PyObject) return value.repr();
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "bigint" ? writeInt(value) : writeFloat(value);
}

/** Returns `str(value)`. */
export function pyStr(value: PyValue): string {
  if (typeof value === "string") return value;
  return value instanceof PyObject ? value.str() : pyRepr(value);
}

/** Returns the numeric value of an int, a bool or a float in comparisons; undefined for all other values. */
export function numberOf(value: PyValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  if (typeof value === "boolean") return BigInt(value);
  // Instances of classes derived from int and float.
  const payload = value instanceof PyObject ? value.payload : undefined;
  return payload === undefined ? undefined : numberOf(payload);
}

/** Returns `left == right`. */
export function pyEquals(left: PyValue, right: PyValue): boolean {
  spendSteps(1);
  if (left === right) return true;
  if (left instanceof PyObject) return left.equals(right);
  if (right instanceof PyObject) return right.equals(left);
  const a = numberOf(left);
  const b = numberOf(right);
  // JavaScript compares a bigint with a number by their exact values, but not with `===`.
  return a !== undefined && b !== undefined && a <= b && a >= b;
}

/** Like PyObject.compare, for all values. */
export function pyCompare(left: PyValue, right: PyValue): number | undefined {
  spendSteps(1);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return compareNumbers(a, b);
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  if (left instanceof PyObject) return left.compare(right);
  const reflected = right instanceof PyObject ? right.compare(left) : undefined;
  return reflected === undefined ? undefined : -reflected;
}

function compareNumbers(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a <= b ? 0 : Number.NaN;
}

/**
 * Returns the elements of a collection, the characters of a string, or the remaining values of an iterator. Callers
 * must not modify the array. Throws PyError TypeError for values that are not iterable.
 */
export function itemsOf(value: PyValue): readonly PyValue[] {
  if (typeof value === "string") return codePoints(value);
  const items = value instanceof PyObject ? value.items() : undefined;
  if (!items) return drain(iterate(value));
  spendSteps(items.length);
  return items;
}

/** Iterates over the elements. Throws PyError TypeError for values that are not iterable. */
export function iterate(value: PyValue): Iterator<PyValue> {
  if (typeof value === "string") return codePoints(value)[Symbol.iterator]();
  const iterator = value instanceof PyObject ? value.iterate() : undefined;
  if (!iterator) throw new PyError("TypeError", `'${typeName(value)}' object is not iterable`);
  return iterator;
}

/** Returns the remaining values of an iterator. */
export function drain(iterator: Iterator<PyValue>): PyValue[] {
  const items: PyValue[] = [];
  for (let next = iterator.next(); !next.done; next = iterator.next()) {
    spendBytes(16);
    items.push(next.value);
  }
  return items;
}

/** Returns `len(value)`. */
export function pyLength(value: PyValue): number {
  if (typeof value === "string") return textLength(value);
  const length = value instanceof PyObject ? value.length() : undefined;
  if (length === undefined) throw new PyError("TypeError", `object of type '${typeName(value)}' has no len()`);
  return length;
}

import { spendBytes, spendSteps } from "./budget.ts";
import { PyError } from "./errors.ts";
import { writeFloat, writeInt } from "./numbers.ts";
import { codePoints, compareText, quoteText, textLength } from "./text.ts";

/**
 * What a formula computes with. A Python int is a bigint, a float a number: this keeps `1` and `1.0` apart. Everything
 * that JavaScript has no value for is a PyObject.
 */
export type PyValue = null | boolean | bigint | number | string | PyObject;

/** Values of kinds of our own. What a kind does not answer for, it cannot do. */
export abstract class PyObject {
  /** As `type(value).__name__` gives it. */
  abstract readonly typeName: string;

  abstract repr(): string;

  str(): string {
    return this.repr();
  }

  truth(): boolean {
    return true;
  }

  equals(other: PyValue): boolean {
    return this === other;
  }

  /** Negative, 0 or positive; NaN when neither is the case; undefined when the two have no order. */
  compare(_other: PyValue): number | undefined {
    return undefined;
  }

  /** The elements, if it has any; undefined if it is no collection. */
  items(): readonly PyValue[] | undefined {
    return undefined;
  }

  /** An attribute; undefined when there is none of that name. */
  attribute(_name: string): PyValue | undefined {
    return undefined;
  }

  /** What `type(value)` gives, for kinds that have a type to show. */
  get type(): PyFunction | undefined {
    return undefined;
  }

  /** `this sign other`, or `other sign this` when `reflected`; undefined when the kind has no such operator. */
  binary(_sign: string, _other: PyValue, _reflected: boolean): PyValue | undefined {
    return undefined;
  }

  /** `-value`, `+value`, `~value` and `abs(value)`; undefined when the kind has no such operator. */
  unary(_sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    return undefined;
  }

  /** `format(value, spec)` for a spec that is not empty; undefined when the kind has no formats. */
  formatted(_spec: string): string | undefined {
    return undefined;
  }

  /** True for kinds that have operators in Python which are not built here. */
  get hasOperators(): boolean {
    return false;
  }
}

/** Lists and tuples. */
export abstract class PySequence extends PyObject {
  readonly #items: readonly PyValue[];

  constructor(items: readonly PyValue[]) {
    super();
    this.#items = items;
  }

  /** Another of the same kind. */
  abstract of(items: readonly PyValue[]): PySequence;

  override items(): readonly PyValue[] {
    return this.#items;
  }

  override truth(): boolean {
    return this.#items.length > 0;
  }

  override equals(other: PyValue): boolean {
    if (!(other instanceof PySequence) || other.typeName !== this.typeName) return false;
    if (other.#items.length !== this.#items.length) return false;
    return other === this || this.#items.every((item, index) => pyEquals(item, other.#items[index] ?? null));
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof PySequence) || other.typeName !== this.typeName) return undefined;
    for (const [index, item] of this.#items.entries()) {
      const match = other.#items[index];
      if (match === undefined) break;
      if (!pyEquals(item, match)) return pyCompare(item, match);
    }
    return this.#items.length - other.#items.length;
  }

  protected joinItems(): string {
    spendSteps(this.#items.length);
    const text = this.#items.map(pyRepr).join(", ");
    spendBytes(text.length * 2);
    return text;
  }
}

export class PyList extends PySequence {
  readonly typeName = "list";

  of(items: readonly PyValue[]): PyList {
    return new PyList(items);
  }

  repr(): string {
    return `[${this.joinItems()}]`;
  }
}

export class PyTuple extends PySequence {
  readonly typeName = "tuple";

  of(items: readonly PyValue[]): PyTuple {
    return new PyTuple(items);
  }

  repr(): string {
    return this.items().length === 1 ? `(${this.joinItems()},)` : `(${this.joinItems()})`;
  }
}

export type Keywords = ReadonlyMap<string, PyValue>;

/** A function of ours. */
export class PyFunction extends PyObject {
  readonly typeName: string = "builtin_function_or_method";
  readonly name: string;
  readonly call: (positional: readonly PyValue[], keywords: Keywords) => PyValue;

  constructor(name: string, call: PyFunction["call"]) {
    super();
    this.name = name;
    this.call = call;
  }

  repr(): string {
    return `<built-in function ${this.name}>`;
  }
}

/** A text in a cell of another type. */
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

  override attribute(): never {
    throw new PyError("InvalidTypedValue", `${this.columnType} column has the text ${quoteText(this.text)}`, {
      details: [this.columnType, this.text],
    });
  }
}

export function typeName(value: PyValue): string {
  if (value === null) return "NoneType";
  if (value instanceof PyObject) return value.typeName;
  if (typeof value === "string") return "str";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "int" : "float";
}

/** Python's truth of a value. */
export function truth(value: PyValue): boolean {
  if (typeof value === "number") return value !== 0;
  // NaN, which JavaScript takes for false, is dealt with.
  return value instanceof PyObject ? value.truth() : Boolean(value);
}

/** `repr(value)` */
export function pyRepr(value: PyValue): string {
  if (value === null) return "None";
  if (value instanceof PyObject) return value.repr();
  if (typeof value === "string") return quoteText(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "bigint" ? writeInt(value) : writeFloat(value);
}

/** `str(value)` */
export function pyStr(value: PyValue): string {
  if (typeof value === "string") return value;
  return value instanceof PyObject ? value.str() : pyRepr(value);
}

/** The number that an int, a bool or a float is in comparisons; undefined for everything else. */
export function numberOf(value: PyValue): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return typeof value === "boolean" ? BigInt(value) : undefined;
}

/** `left == right` */
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

/** As PyObject.compare, for all values. */
export function pyCompare(left: PyValue, right: PyValue): number | undefined {
  spendSteps(1);
  const a = numberOf(left);
  const b = numberOf(right);
  if (a !== undefined && b !== undefined) return compareNumbers(a, b);
  if (typeof left === "string" && typeof right === "string") return compareText(left, right);
  return left instanceof PyObject ? left.compare(right) : undefined;
}

function compareNumbers(a: bigint | number, b: bigint | number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  return a <= b ? 0 : Number.NaN;
}

/** The elements of a collection; a text's characters. Throws PyError TypeError for what has none. */
export function itemsOf(value: PyValue): readonly PyValue[] {
  if (typeof value === "string") return codePoints(value);
  const items = value instanceof PyObject ? value.items() : undefined;
  if (!items) throw new PyError("TypeError", `'${typeName(value)}' object is not iterable`);
  spendSteps(items.length);
  return items;
}

/** `len(value)` */
export function pyLength(value: PyValue): number {
  if (typeof value === "string") return textLength(value);
  const items = value instanceof PyObject ? value.items() : undefined;
  if (!items) throw new PyError("TypeError", `object of type '${typeName(value)}' has no len()`);
  return items.length;
}

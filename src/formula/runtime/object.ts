/**
 * What a formula computes with. A Python int is a bigint, a float a number: this keeps `1` and `1.0` apart. Everything
 * that JavaScript has no value for is a PyObject.
 */
export type PyValue = null | boolean | bigint | number | string | PyObject;

/** See PyObject.hashKey and `hash.ts`. */
export type HashKey = null | number | bigint | string | PyObject;

/** Values of kinds of our own. What a kind does not answer for, it cannot do. */
export abstract class PyObject {
  /** As `type(value).__name__` gives it. */
  abstract readonly typeName: string;

  /** The module that messages name before the type, as they do for types that are written in C. */
  get typeModule(): string | undefined {
    return undefined;
  }

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

  /** `this sign other` for `<`, `<=`, `>` and `>=` where that is no matter of a total order; undefined if it is one. */
  ordered(_sign: string, _other: PyValue): PyValue | undefined {
    return undefined;
  }

  /** The elements, if it has any; undefined if it is no collection that knows its length. */
  items(): readonly PyValue[] | undefined {
    return undefined;
  }

  /** Goes through the elements one by one, also those that are still to be made; undefined if there is no such thing. */
  iterate(): Iterator<PyValue> | undefined {
    return this.items()?.[Symbol.iterator]();
  }

  /** `len(value)`; undefined if it has none. */
  length(): number | undefined {
    return this.items()?.length;
  }

  /** `value in this`; undefined to look through the elements. */
  contains(_value: PyValue): boolean | undefined {
    return undefined;
  }

  /** What stands for it among the keys of a Map: equal values have the same; undefined if it cannot be a key. */
  hashKey(): HashKey | undefined {
    return this;
  }

  /** `this[index]`; undefined if it has no such operation. */
  getItem(_index: PyValue): PyValue | undefined {
    return undefined;
  }

  /** `this[index] = value`, or `del this[index]` without a value; false if it has no such operation. */
  setItem(_index: PyValue, _value: PyValue | undefined): boolean {
    return false;
  }

  /** `float(value)`; undefined if it is no number. */
  toFloat(): number | undefined {
    return undefined;
  }

  /** `int(value)`; undefined if it is no number. */
  toInt(): bigint | undefined {
    return undefined;
  }

  /** `round(value, places)`; undefined if it cannot be rounded. */
  round(_places: number | undefined): PyValue | undefined {
    return undefined;
  }

  /** What it stands for as an index or a number of times; undefined if it stands for none. */
  index(): bigint | undefined {
    return undefined;
  }

  /** `this.name = value`, or `del this.name` without a value; false if attributes cannot be set. */
  setAttribute(_name: string, _value: PyValue | undefined): boolean {
    return false;
  }

  /** An attribute; undefined when there is none of that name. */
  attribute(_name: string): PyValue | undefined {
    return undefined;
  }

  /** The value of Python's own class that an instance of a derived class stands for. */
  get payload(): PyValue | undefined {
    return undefined;
  }

  /** What `type(value)` gives, for kinds that have a type to show. */
  get type(): PyObject | undefined {
    return undefined;
  }

  /** Tells records and sets of records from all other values. */
  get recordKind(): "record" | "set" | undefined {
    return undefined;
  }

  /** `this sign other`, or `other sign this` when `reflected`; undefined when the kind has no such operator. */
  binary(_sign: string, _other: PyValue, _reflected: boolean): PyValue | undefined {
    return undefined;
  }

  /** What `this sign= other` leaves in its place, if that is not what the operator gives: itself, changed. */
  augmented(_sign: string, _other: PyValue): PyValue | undefined {
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

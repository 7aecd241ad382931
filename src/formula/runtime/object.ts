/**
 * A value of the formula language. A Python int is a bigint, a float a number: this distinguishes `1` from `1.0`. All
 * types without a JavaScript equivalent are PyObjects.
 */
export type PyValue = null | boolean | bigint | number | string | PyObject;

/** See PyObject.hashKey and `hash.ts`. */
export type HashKey = null | number | bigint | string | PyObject;

/** Base class of values without a JavaScript equivalent. The defaults describe a type that supports no operation. */
export abstract class PyObject {
  /** The value of `type(value).__name__`. */
  abstract readonly typeName: string;

  /** The module that messages show before the type name, as CPython does for types implemented in C. */
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

  /**
   * Compares by a total order: negative, 0 or positive; NaN for unordered values; undefined for types without an order.
   */
  compare(_other: PyValue): number | undefined {
    return undefined;
  }

  /**
   * Returns `this sign other` for `<`, `<=`, `>` and `>=` of types without a total order; undefined to use `compare`.
   */
  ordered(_sign: string, _other: PyValue): PyValue | undefined {
    return undefined;
  }

  /** Returns the elements; undefined unless this is a sized collection. */
  items(): readonly PyValue[] | undefined {
    return undefined;
  }

  /** Iterates over the elements, which may be created lazily; undefined if the type is not iterable. */
  iterate(): Iterator<PyValue> | undefined {
    return this.items()?.[Symbol.iterator]();
  }

  /** Returns `len(value)`; undefined if the type has no length. */
  length(): number | undefined {
    return this.items()?.length;
  }

  /** Returns `value in this`; undefined to search the elements. */
  contains(_value: PyValue): boolean | undefined {
    return undefined;
  }

  /** Returns the key for use in a Map: equal values have equal keys; undefined for unhashable types. */
  hashKey(): HashKey | undefined {
    return this;
  }

  /** Returns `this[index]`; undefined if the type has no such operation. */
  getItem(_index: PyValue): PyValue | undefined {
    return undefined;
  }

  /**
   * Executes `this[index] = value`, or `del this[index]` without a value; returns false if the type has no such
   * operation.
   */
  setItem(_index: PyValue, _value: PyValue | undefined): boolean {
    return false;
  }

  /** Returns `float(value)`; undefined for non-numeric types. */
  toFloat(): number | undefined {
    return undefined;
  }

  /** Returns `int(value)`; undefined for non-numeric types. */
  toInt(): bigint | undefined {
    return undefined;
  }

  /** Returns `round(value, places)`; undefined if the type does not support it. */
  round(_places: number | undefined): PyValue | undefined {
    return undefined;
  }

  /**
   * Returns the value of `__index__`, for use as an index or repeat count; undefined if the type does not support it.
   */
  index(): bigint | undefined {
    return undefined;
  }

  /** Executes `this.name = value`, or `del this.name` without a value; returns false if attributes cannot be set. */
  setAttribute(_name: string, _value: PyValue | undefined): boolean {
    return false;
  }

  /** Returns an attribute; undefined if it does not exist. */
  attribute(_name: string): PyValue | undefined {
    return undefined;
  }

  /** The wrapped value of an instance of a class derived from a built-in class. */
  get payload(): PyValue | undefined {
    return undefined;
  }

  /** The value of `type(value)`, for values with their own type object. */
  get type(): PyObject | undefined {
    return undefined;
  }

  /** Distinguishes records and record sets from all other values. */
  get recordKind(): "record" | "set" | undefined {
    return undefined;
  }

  /** Returns `this sign other`, or `other sign this` when `reflected`; undefined if the type has no such operator. */
  binary(_sign: string, _other: PyValue, _reflected: boolean): PyValue | undefined {
    return undefined;
  }

  /** Returns the result of `this sign= other` for types that modify themselves; undefined to use the plain operator. */
  augmented(_sign: string, _other: PyValue): PyValue | undefined {
    return undefined;
  }

  /** Returns `-value`, `+value`, `~value` or `abs(value)`; undefined if the type has no such operator. */
  unary(_sign: "-" | "+" | "~" | "abs"): PyValue | undefined {
    return undefined;
  }

  /** Returns `format(value, spec)` for a non-empty spec; undefined if the type does not support format specs. */
  formatted(_spec: string): string | undefined {
    return undefined;
  }

  /** True for types whose operators exist in Python but are not supported here. */
  get hasOperators(): boolean {
    return false;
  }
}

import { spendBytes } from "../budget.ts";
import { callWith } from "../calls.ts";
import { CLASSES } from "../classes/classes.ts";
import { PyDict } from "./dicts.ts";
import { add, BINARY, COMPARE, isLess } from "../operators.ts";
import { PyError, typeError } from "../errors.ts";
import { itemsOf, numberOf, PyList, PyObject, pyRepr, PyTuple, type PyValue, typeName } from "../values.ts";

/** `collections.Counter` */
export class PyCounter extends PyDict {
  override readonly typeName = "Counter";
  readonly cls = CLASSES.counter;

  override emptyCopy(): PyCounter {
    return new PyCounter();
  }

  override missingValue(): PyValue {
    return 0n;
  }

  count(key: PyValue): PyValue {
    return this.get(key) ?? 0n;
  }

  /** Adds the counts of elements or of a mapping; with `sign` "-" subtracts them. */
  addCounts(source: PyValue, sign = "+"): void {
    if (source instanceof PyDict) {
      for (const [key, value] of source.entries()) this.set(key, BINARY[sign as "+"](this.count(key), value));
      return;
    }
    for (const item of itemsOf(source)) this.set(item, BINARY[sign as "+"](this.count(item), 1n));
  }

  /** Returns elements and counts, the most frequent first. */
  mostCommon(): [PyValue, PyValue][] {
    const byCount = ([, left]: [PyValue, PyValue], [, right]: [PyValue, PyValue]): number =>
      isLess(right, left) ? -1 : isLess(left, right) ? 1 : 0;
    return this.entries().sort(byCount);
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (!(other instanceof PyCounter)) return reflected ? undefined : super.binary(sign, other, reflected);
    const [left, right] = reflected ? [other, this] : [this, other];
    const result = new PyCounter();
    for (const key of [...left.keys(), ...right.keys()]) {
      const [a, b] = [left.count(key), right.count(key)];
      const value = combine(sign, a, b);
      if (value === undefined) return undefined;
      if (COMPARE[">"](value, 0n)) result.set(key, value);
    }
    return result;
  }

  override repr(): string {
    if (!this.truth()) return "Counter()";
    const text = this.mostCommon()
      .map(([key, value]) => `${pyRepr(key)}: ${pyRepr(value)}`)
      .join(", ");
    spendBytes(text.length * 2);
    return `Counter({${text}})`;
  }
}

function combine(sign: string, a: PyValue, b: PyValue): PyValue | undefined {
  if (sign === "+") return add(a, b);
  if (sign === "-") return BINARY["-"](a, b);
  if (sign === "|") return isLess(a, b) ? b : a;
  return sign === "&" ? (isLess(a, b) ? a : b) : undefined;
}

/** `collections.defaultdict` */
export class PyDefaultDict extends PyDict {
  override readonly typeName = "defaultdict";
  readonly cls = CLASSES.defaultdict;
  readonly #factory: PyValue;

  constructor(factory: PyValue) {
    super();
    this.#factory = factory;
  }

  override emptyCopy(): PyDefaultDict {
    return new PyDefaultDict(this.#factory);
  }

  override missingValue(key: PyValue): PyValue {
    if (this.#factory === null) return super.missingValue(key);
    const value = callWith(this.#factory);
    this.set(key, value);
    return value;
  }

  override get typeModule(): string {
    return "collections";
  }

  override attribute(name: string): PyValue | undefined {
    return name === "default_factory" ? this.#factory : undefined;
  }

  override repr(): string {
    return `defaultdict(${pyRepr(this.#factory)}, ${this.entriesRepr()})`;
  }
}

/** `collections.OrderedDict` */
export class PyOrderedDict extends PyDict {
  override readonly typeName = "OrderedDict";
  readonly cls = CLASSES.orderedDict;

  override emptyCopy(): PyOrderedDict {
    return new PyOrderedDict();
  }

  override get typeModule(): string {
    return "collections";
  }

  /** Two OrderedDicts compare order too. */
  override equals(other: PyValue): boolean {
    if (!super.equals(other)) return false;
    if (!(other instanceof PyOrderedDict)) return true;
    return new PyList(this.keys()).equals(new PyList(other.keys()));
  }

  override repr(): string {
    if (!this.truth()) return "OrderedDict()";
    return `OrderedDict(${pyRepr(new PyList(this.entries().map((entry) => new PyTuple(entry))))})`;
  }
}

/** `collections.deque` */
export class PyDeque extends PyObject {
  readonly typeName = "deque";
  readonly cls = CLASSES.deque;
  readonly maxLength: number | undefined;
  readonly #items: PyValue[];

  constructor(items: PyValue[], maxLength: number | undefined) {
    super();
    this.#items = items;
    this.maxLength = maxLength;
    this.trim(true);
  }

  override items(): PyValue[] {
    return this.#items;
  }

  override truth(): boolean {
    return this.#items.length > 0;
  }

  override hashKey(): undefined {
    return undefined;
  }

  /** Removes elements beyond the maximum length, at the front or at the back. */
  trim(atFront: boolean): void {
    const excess = this.maxLength === undefined ? 0 : this.#items.length - this.maxLength;
    if (excess > 0) this.#items.splice(atFront ? 0 : this.#items.length - excess, excess);
  }

  override attribute(name: string): PyValue | undefined {
    if (name !== "maxlen") return undefined;
    return this.maxLength === undefined ? null : BigInt(this.maxLength);
  }

  /** Resolves an index to a position. Throws PyError IndexError. */
  #resolveIndex(index: PyValue): number {
    const position = numberOf(index);
    if (typeof position !== "bigint") throw typeError(`sequence index must be integer, not '${typeName(index)}'`);
    const at = Number(position) < 0 ? Number(position) + this.#items.length : Number(position);
    if (at < 0 || at >= this.#items.length) throw new PyError("IndexError", "deque index out of range");
    return at;
  }

  override getItem(index: PyValue): PyValue {
    return this.#items[this.#resolveIndex(index)] ?? null;
  }

  override setItem(index: PyValue, value: PyValue | undefined): boolean {
    if (value === undefined) this.#items.splice(this.#resolveIndex(index), 1);
    else this.#items[this.#resolveIndex(index)] = value;
    return true;
  }

  override get typeModule(): string {
    return "collections";
  }

  override equals(other: PyValue): boolean {
    return other instanceof PyDeque && new PyList(this.#items).equals(new PyList(other.#items));
  }

  repr(): string {
    const maxLength = this.maxLength === undefined ? "" : `, maxlen=${this.maxLength}`;
    return `deque(${pyRepr(new PyList(this.#items))}${maxLength})`;
  }
}

import { callValue } from "./calls.ts";
import { type Method, PyClassMethod, PyMethod, PyStaticMethod } from "./descriptors.ts";
import { PyError, typeError } from "./errors.ts";
import { PyType } from "./types.ts";
import { type Keywords, PyFunction, plainTypeName, PyList, PyObject, PyTuple, type PyValue } from "./values.ts";

type Construct = (positional: readonly PyValue[], keywords: Keywords, cls: PyClass) => PyValue;

/** A class: one of Python's own, or one that a formula defines. */
export class PyClass extends PyType {
  readonly bases: readonly PyClass[];
  /** The class itself, and all that it takes members from, in order. */
  readonly order: readonly PyClass[];
  readonly members = new Map<string, PyValue>();
  /** True for classes that a formula defines. */
  readonly isOwn: boolean;
  /** For classes of ours that others can derive from: is told of these when they are made. */
  extended: ((cls: PyClass) => void) | undefined;
  /** For Python's own classes that others can derive from: makes an instance of such a class. */
  derive: Construct | undefined;
  /** Makes an instance that is not set up yet, as `__new__` does. */
  allocate: Construct | undefined;
  /** The members of an enumeration, by their names. */
  entries: ReadonlyMap<string, PyValue> | undefined;
  #construct: Construct | undefined;

  constructor(name: string, bases: readonly PyClass[] = [], options: { isOwn?: boolean; module?: string } = {}) {
    const holder: { self?: PyClass } = {};
    const make = new PyFunction(name, (positional, keywords) => {
      const { self } = holder;
      if (!self) throw typeError(`cannot create '${name}' instances`);
      return self.make(positional, keywords);
    });
    super(options.module ?? (options.isOwn ? "__main__" : "builtins"), make, {
      isInstance: (value) => isInstanceOf(value, holder.self),
    });
    holder.self = this;
    this.bases = bases;
    this.isOwn = options.isOwn ?? false;
    this.order = [this, ...mergeOrders(bases)];
  }

  /** Sets how instances are made and what they can do. */
  define(parts: { construct?: Construct; methods?: ReadonlyMap<string, Method<never>> }): this {
    if (parts.construct) this.#construct = parts.construct;
    for (const [name, method] of parts.methods ?? []) this.members.set(name, new PyMethod(name, method, this));
    return this;
  }

  /** `cls(…)` */
  make(positional: readonly PyValue[], keywords: Keywords): PyValue {
    const maker = this.isOwn ? this.lookUp("__new__") : undefined;
    if (maker !== undefined) return this.#makeByNew(maker, positional, keywords);
    for (const cls of this.order) {
      // What an enumeration derives from besides says only what its members are like.
      if (cls.derive && cls !== this && this.entries) continue;
      if (cls.derive && cls !== this) return cls.derive(positional, keywords, this);
      if (cls.#construct) return cls.#construct(positional, keywords, this);
    }
    throw typeError(`cannot create '${this.name}' instances`);
  }

  /** Where a formula defines `__new__`, that makes the instance, and `__init__` sets it up if it is one of this class. */
  #makeByNew(maker: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
    const target = maker instanceof PyStaticMethod ? maker.target : maker;
    const made = callValue(target, [this, ...positional], keywords);
    const init = isInstanceOf(made, this) ? this.lookUp("__init__") : undefined;
    if (init instanceof PyFunction) callValue(init.bind(made), positional, keywords);
    return made;
  }

  /** A member as it was defined, of the class or what it derives from; undefined if there is none. */
  lookUp(name: string): PyValue | undefined {
    for (const cls of this.order) {
      const member = cls.members.get(name);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  isSubclassOf(other: PyClass): boolean {
    return this.order.includes(other);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__bases__") return new PyTuple(this.bases);
    if (name === "__mro__") return new PyTuple(this.order);
    if (name === "__doc__") return this.lookUp(name) ?? null;
    const member = this.lookUp(name);
    if (member instanceof PyClassMethod) return member.bind(this);
    if (member instanceof PyStaticMethod) return member.target;
    if (member !== undefined) return member;
    if (name === "mro") return new PyFunction(name, () => new PyList([...this.order]));
    if (name === "__base__") return this.bases[0] ?? null;
    return super.attribute(name) ?? COMMON_MEMBERS.get(name);
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    if (!this.isOwn) return false;
    if (value !== undefined) this.members.set(name, value);
    else if (!this.members.delete(name)) throw new PyError("AttributeError", name);
    return true;
  }

  override iterate(): Iterator<PyValue> | undefined {
    return this.entries?.values();
  }

  override length(): number | undefined {
    return this.entries?.size;
  }

  /** `Color['RED']` */
  override getItem(index: PyValue): PyValue | undefined {
    const entry = typeof index === "string" ? this.entries?.get(index) : undefined;
    if (entry === undefined && this.entries) throw new PyError("KeyError", "no such member", { args: [index] });
    return entry;
  }

  /** `A | B`, for isinstance(). */
  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    if (sign !== "|" || !(other instanceof PyType || other === null || other instanceof PyTuple)) return undefined;
    const others = other instanceof PyTuple ? other.items() : [other];
    return new PyTuple(reflected ? [...others, this] : [this, ...others]);
  }

  override repr(): string {
    return this.module === "builtins" ? `<class '${this.name}'>` : `<class '${this.module}.${this.name}'>`;
  }
}

function isInstanceOf(value: PyValue, cls: PyClass | undefined): boolean {
  if (!cls) return false;
  const own = classOf(value);
  return own === cls || (own instanceof PyClass && own.isSubclassOf(cls)) || (cls.name === "object" && !cls.isOwn);
}

/** The order in which members are looked up: no class before those that derive from it (C3). */
function mergeOrders(bases: readonly PyClass[]): PyClass[] {
  const queues = [...bases.map((base) => [...base.order]), [...bases]].filter((queue) => queue.length > 0);
  const merged: PyClass[] = [];
  for (;;) {
    const left = queues.filter((queue) => queue.length > 0);
    if (left.length === 0) return merged;
    const next = left.map((queue) => queue[0]).find((head) => head && !left.some((queue) => queue.includes(head, 1)));
    if (!next) throw typeError("Cannot create a consistent method resolution order (MRO) for bases");
    merged.push(next);
    for (const queue of left) if (queue[0] === next) queue.shift();
  }
}

/** Methods that values of all classes have. Set in `builtins/`, apart from `object`, so that instances can tell their own. */
export const COMMON_MEMBERS = new Map<string, PyValue>();

const OBJECT = new PyClass("object");

const own = (name: string, ...bases: PyClass[]): PyClass => new PyClass(name, bases.length > 0 ? bases : [OBJECT]);
const inModule = (module: string, name: string, ...bases: PyClass[]): PyClass =>
  new PyClass(name, bases.length > 0 ? bases : [OBJECT], { module });

const INT = own("int");
const DICT = own("dict");
const TUPLE = own("tuple");

/** Python's own classes. What they can do is set in `builtins/`. */
export const CLASSES = {
  object: OBJECT,
  type: own("type"),
  NoneType: own("NoneType"),
  int: INT,
  bool: own("bool", INT),
  float: own("float"),
  complex: own("complex"),
  str: own("str"),
  bytes: own("bytes"),
  bytearray: own("bytearray"),
  list: own("list"),
  tuple: TUPLE,
  dict: DICT,
  set: own("set"),
  frozenset: own("frozenset"),
  range: own("range"),
  slice: own("slice"),
  enumerate: own("enumerate"),
  zip: own("zip"),
  map: own("map"),
  filter: own("filter"),
  reversed: own("reversed"),
  function: own("function"),
  builtin: own("builtin_function_or_method"),
  module: own("module"),
  generator: own("generator"),
  property: own("property"),
  staticmethod: own("staticmethod"),
  classmethod: own("classmethod"),
  dictKeys: own("dict_keys"),
  dictValues: own("dict_values"),
  dictItems: own("dict_items"),
  counter: inModule("collections", "Counter", DICT),
  defaultdict: inModule("collections", "defaultdict", DICT),
  orderedDict: inModule("collections", "OrderedDict", DICT),
  deque: inModule("collections", "deque"),
} as const;

const BY_NAME: ReadonlyMap<string, PyClass> = new Map(Object.values(CLASSES).map((cls) => [cls.name, cls]));

/** Classes of kinds that nobody can name, by their names. */
const nameless = new Map<string, PyClass>();

/** `type(value)` */
export function classOf(value: PyValue): PyType {
  if (value instanceof PyObject) {
    // Instances, and kinds of values whose class lies in their own module.
    const { cls, type } = value as { cls?: unknown; type?: unknown };
    if (cls instanceof PyType) return cls;
    if (type instanceof PyType) return type;
  }
  const name = plainTypeName(value);
  const known = BY_NAME.get(name) ?? nameless.get(name);
  if (known) return known;
  const made = own(name);
  nameless.set(name, made);
  return made;
}

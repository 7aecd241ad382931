import { callValue } from "../calls.ts";
import { type Method, PyClassMethod, PyMethod, PyStaticMethod } from "./descriptors.ts";
import { PyError, typeError } from "../errors.ts";
import { PyType } from "./types.ts";
import { type Keywords, PyFunction, unqualifiedTypeName, PyList, PyObject, PyTuple, type PyValue } from "../values.ts";

type Construct = (positional: readonly PyValue[], keywords: Keywords, cls: PyClass) => PyValue;

/** A class: one of Python's own, or one that a formula defines. */
export class PyClass extends PyType {
  readonly bases: readonly PyClass[];
  /** The class itself, and all that it takes members from, in order. */
  readonly mro: readonly PyClass[];
  readonly members = new Map<string, PyValue>();
  /** True for classes that a formula defines. */
  readonly isUserDefined: boolean;
  /** For classes of ours that others can derive from: is told of these when they are made. */
  onSubclass: ((cls: PyClass) => void) | undefined;
  /** For Python's own classes that others can derive from: makes an instance of such a class. */
  constructDerived: Construct | undefined;
  /** Makes an instance that is not set up yet, as `__new__` does. */
  allocate: Construct | undefined;
  /** The members of an enumeration, by their names. */
  enumMembers: ReadonlyMap<string, PyValue> | undefined;
  #construct: Construct | undefined;

  constructor(name: string, bases: readonly PyClass[] = [], options: { isOwn?: boolean; module?: string } = {}) {
    const holder: { self?: PyClass } = {};
    const instantiate = new PyFunction(name, (positional, keywords) => {
      const { self } = holder;
      if (!self) throw typeError(`cannot create '${name}' instances`);
      return self.instantiate(positional, keywords);
    });
    super(options.module ?? (options.isOwn ? "__main__" : "builtins"), instantiate, {
      isInstance: (value) => isInstanceOf(value, holder.self),
    });
    holder.self = this;
    this.bases = bases;
    this.isUserDefined = options.isOwn ?? false;
    this.mro = [this, ...linearizeMro(bases)];
  }

  /** Sets how instances are made and what they can do. */
  define(parts: { defineConstructor?: Construct; methods?: ReadonlyMap<string, Method<never>> }): this {
    if (parts.defineConstructor) this.#construct = parts.defineConstructor;
    for (const [name, method] of parts.methods ?? []) this.members.set(name, new PyMethod(name, method, this));
    return this;
  }

  /** `cls(…)` */
  instantiate(positional: readonly PyValue[], keywords: Keywords): PyValue {
    const newMethod = this.isUserDefined ? this.lookUp("__new__") : undefined;
    if (newMethod !== undefined) return this.#instantiateWithNew(newMethod, positional, keywords);
    for (const cls of this.mro) {
      // What an enumeration derives from besides says only what its members are like.
      if (cls.constructDerived && cls !== this && this.enumMembers) continue;
      if (cls.constructDerived && cls !== this) return cls.constructDerived(positional, keywords, this);
      if (cls.#construct) return cls.#construct(positional, keywords, this);
    }
    throw typeError(`cannot create '${this.name}' instances`);
  }

  /** Where a formula defines `__new__`, that makes the instance, and `__init__` sets it up if it is one of this class. */
  #instantiateWithNew(newMethod: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
    const target = newMethod instanceof PyStaticMethod ? newMethod.target : newMethod;
    const instance = callValue(target, [this, ...positional], keywords);
    const init = isInstanceOf(instance, this) ? this.lookUp("__init__") : undefined;
    if (init instanceof PyFunction) callValue(init.bind(instance), positional, keywords);
    return instance;
  }

  /** A member as it was defined, of the class or what it derives from; undefined if there is none. */
  lookUp(name: string): PyValue | undefined {
    for (const cls of this.mro) {
      const member = cls.members.get(name);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  isSubclassOf(other: PyClass): boolean {
    return this.mro.includes(other);
  }

  override attribute(name: string): PyValue | undefined {
    if (name === "__bases__") return new PyTuple(this.bases);
    if (name === "__mro__") return new PyTuple(this.mro);
    if (name === "__doc__") return this.lookUp(name) ?? null;
    const member = this.lookUp(name);
    if (member instanceof PyClassMethod) return member.bind(this);
    if (member instanceof PyStaticMethod) return member.target;
    if (member !== undefined) return member;
    if (name === "mro") return new PyFunction(name, () => new PyList([...this.mro]));
    if (name === "__base__") return this.bases[0] ?? null;
    return super.attribute(name) ?? OBJECT_MEMBERS.get(name);
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    if (!this.isUserDefined) return false;
    if (value !== undefined) this.members.set(name, value);
    else if (!this.members.delete(name)) throw new PyError("AttributeError", name);
    return true;
  }

  override iterate(): Iterator<PyValue> | undefined {
    return this.enumMembers?.values();
  }

  override length(): number | undefined {
    return this.enumMembers?.size;
  }

  /** `Color['RED']` */
  override getItem(index: PyValue): PyValue | undefined {
    const entry = typeof index === "string" ? this.enumMembers?.get(index) : undefined;
    if (entry === undefined && this.enumMembers) throw new PyError("KeyError", "no such member", { args: [index] });
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
  const valueClass = classOf(value);
  return (
    valueClass === cls ||
    (valueClass instanceof PyClass && valueClass.isSubclassOf(cls)) ||
    (cls.name === "object" && !cls.isUserDefined)
  );
}

/** The order in which members are looked up: no class before those that derive from it (C3). */
function linearizeMro(bases: readonly PyClass[]): PyClass[] {
  const candidateLists = [...bases.map((base) => [...base.mro]), [...bases]].filter((queue) => queue.length > 0);
  const merged: PyClass[] = [];
  for (;;) {
    const left = candidateLists.filter((queue) => queue.length > 0);
    if (left.length === 0) return merged;
    const next = left.map((queue) => queue[0]).find((head) => head && !left.some((queue) => queue.includes(head, 1)));
    if (!next) throw typeError("Cannot create a consistent method resolution order (MRO) for bases");
    merged.push(next);
    for (const queue of left) if (queue[0] === next) queue.shift();
  }
}

/** Methods that values of all classes have. Set in `builtins/`, apart from `object`, so that instances can tell their own. */
export const OBJECT_MEMBERS = new Map<string, PyValue>();

const OBJECT = new PyClass("object");

const builtinClass = (name: string, ...bases: PyClass[]): PyClass =>
  new PyClass(name, bases.length > 0 ? bases : [OBJECT]);
const moduleClass = (module: string, name: string, ...bases: PyClass[]): PyClass =>
  new PyClass(name, bases.length > 0 ? bases : [OBJECT], { module });

const INT = builtinClass("int");
const DICT = builtinClass("dict");
const TUPLE = builtinClass("tuple");

/** Python's own classes. What they can do is set in `builtins/`. */
export const CLASSES = {
  object: OBJECT,
  type: builtinClass("type"),
  NoneType: builtinClass("NoneType"),
  int: INT,
  bool: builtinClass("bool", INT),
  float: builtinClass("float"),
  complex: builtinClass("complex"),
  str: builtinClass("str"),
  bytes: builtinClass("bytes"),
  bytearray: builtinClass("bytearray"),
  list: builtinClass("list"),
  tuple: TUPLE,
  dict: DICT,
  set: builtinClass("set"),
  frozenset: builtinClass("frozenset"),
  range: builtinClass("range"),
  slice: builtinClass("slice"),
  enumerate: builtinClass("enumerate"),
  zip: builtinClass("zip"),
  map: builtinClass("map"),
  filter: builtinClass("filter"),
  reversed: builtinClass("reversed"),
  function: builtinClass("function"),
  builtin: builtinClass("builtin_function_or_method"),
  module: builtinClass("module"),
  generator: builtinClass("generator"),
  property: builtinClass("property"),
  staticmethod: builtinClass("staticmethod"),
  classmethod: builtinClass("classmethod"),
  dictKeys: builtinClass("dict_keys"),
  dictValues: builtinClass("dict_values"),
  dictItems: builtinClass("dict_items"),
  counter: moduleClass("collections", "Counter", DICT),
  defaultdict: moduleClass("collections", "defaultdict", DICT),
  orderedDict: moduleClass("collections", "OrderedDict", DICT),
  deque: moduleClass("collections", "deque"),
} as const;

const BY_NAME: ReadonlyMap<string, PyClass> = new Map(Object.values(CLASSES).map((cls) => [cls.name, cls]));

/** Classes of kinds that nobody can name, by their names. */
const unnamedClasses = new Map<string, PyClass>();

/** `type(value)` */
export function classOf(value: PyValue): PyType {
  if (value instanceof PyObject) {
    // Instances, and kinds of values whose class lies in their own module.
    const { cls, type } = value as { cls?: unknown; type?: unknown };
    if (cls instanceof PyType) return cls;
    if (type instanceof PyType) return type;
  }
  const name = unqualifiedTypeName(value);
  const known = BY_NAME.get(name) ?? unnamedClasses.get(name);
  if (known) return known;
  const unnamedClass = builtinClass(name);
  unnamedClasses.set(name, unnamedClass);
  return unnamedClass;
}

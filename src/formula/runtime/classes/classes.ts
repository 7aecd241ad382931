import { callValue } from "../calls.ts";
import { type Method, PyClassMethod, PyMethod, PyStaticMethod } from "./descriptors.ts";
import { PyError, typeError } from "../errors.ts";
import { PyType } from "./types.ts";
import { type Keywords, PyFunction, unqualifiedTypeName, PyList, PyObject, PyTuple, type PyValue } from "../values.ts";

type Construct = (positional: readonly PyValue[], keywords: Keywords, cls: PyClass) => PyValue;

/** A built-in or user-defined class. */
export class PyClass extends PyType {
  readonly bases: readonly PyClass[];
  /** The method resolution order, starting with the class itself. */
  readonly mro: readonly PyClass[];
  readonly members = new Map<string, PyValue>();
  /** True for classes that a formula defines. */
  readonly isUserDefined: boolean;
  /** Called for each new subclass; only on built-in classes that allow subclassing. */
  onSubclass: ((cls: PyClass) => void) | undefined;
  /** Creates an instance of a subclass; only on built-in classes that allow subclassing. */
  constructDerived: Construct | undefined;
  /** Creates an uninitialized instance, like `__new__`. */
  allocate: Construct | undefined;
  /** The members of an enumeration by name. */
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

  /** Sets the constructor and the methods. */
  define(parts: { defineConstructor?: Construct; methods?: ReadonlyMap<string, Method<never>> }): this {
    if (parts.defineConstructor) this.#construct = parts.defineConstructor;
    for (const [name, method] of parts.methods ?? []) this.members.set(name, new PyMethod(name, method, this));
    return this;
  }

  /** Calls `cls(…)`. */
  instantiate(positional: readonly PyValue[], keywords: Keywords): PyValue {
    const newMethod = this.isUserDefined ? this.lookUp("__new__") : undefined;
    if (newMethod !== undefined) return this.#instantiateWithNew(newMethod, positional, keywords);
    for (const cls of this.mro) {
      // A mixin base of an enumeration affects only its members.
      if (cls.constructDerived && cls !== this && this.enumMembers) continue;
      if (cls.constructDerived && cls !== this) return cls.constructDerived(positional, keywords, this);
      if (cls.#construct) return cls.#construct(positional, keywords, this);
    }
    throw typeError(`cannot create '${this.name}' instances`);
  }

  /**
   * Creates an instance with the user-defined `__new__`, and calls `__init__` if the result is an instance of this
   * class.
   */
  #instantiateWithNew(newMethod: PyValue, positional: readonly PyValue[], keywords: Keywords): PyValue {
    const target = newMethod instanceof PyStaticMethod ? newMethod.target : newMethod;
    const instance = callValue(target, [this, ...positional], keywords);
    const init = isInstanceOf(instance, this) ? this.lookUp("__init__") : undefined;
    if (init instanceof PyFunction) callValue(init.bind(instance), positional, keywords);
    return instance;
  }

  /** Returns a member as defined by the class or its bases, unbound; undefined if it does not exist. */
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

/** Returns the C3 linearization of the bases. */
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

/**
 * Methods of `object`. Set in `builtins/`, and separate from the class `object`, so that instances can distinguish
 * user-defined methods.
 */
export const OBJECT_MEMBERS = new Map<string, PyValue>();

const OBJECT = new PyClass("object");

const builtinClass = (name: string, ...bases: PyClass[]): PyClass =>
  new PyClass(name, bases.length > 0 ? bases : [OBJECT]);
const moduleClass = (module: string, name: string, ...bases: PyClass[]): PyClass =>
  new PyClass(name, bases.length > 0 ? bases : [OBJECT], { module });

const INT = builtinClass("int");
const DICT = builtinClass("dict");
const TUPLE = builtinClass("tuple");

/** Built-in classes. Their methods are defined in `builtins/`. */
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

/** Classes of internal types that formulas cannot name, by type name. */
const unnamedClasses = new Map<string, PyClass>();

/** Returns `type(value)`. */
export function classOf(value: PyValue): PyType {
  if (value instanceof PyObject) {
    // Instances, and values whose class is defined by a module.
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

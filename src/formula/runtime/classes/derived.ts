import { callValue } from "../calls.ts";
import { CLASSES, OBJECT_MEMBERS, PyClass } from "./classes.ts";
import { PyMethod } from "./descriptors.ts";
import { PyDict } from "../collections/dicts.ts";
import { typeError } from "../errors.ts";
import { hashKey as keyOf, identityNumberOf } from "../hash.ts";
import { bindMember, NO_KEYWORDS, NOT_IMPLEMENTED, PyInstance } from "./instances.ts";
import {
  type HashKey,
  type Keywords,
  pyCompare,
  pyEquals,
  PyFunction,
  PyObject,
  pyRepr,
  pyStr,
  type PyValue,
} from "../values.ts";

/**
 * An instance of a user-defined subclass of a built-in class. It wraps a value of the built-in class (its payload);
 * members that its class does not define operate on the payload.
 */
export class PyDerived extends PyInstance {
  #payload: PyValue | undefined;
  readonly #builtinClass: PyClass;

  constructor(cls: PyClass, builtinClass: PyClass, payload: PyValue | undefined) {
    super(cls);
    this.#builtinClass = builtinClass;
    this.#payload = payload;
  }

  override get payload(): PyValue | undefined {
    return this.#payload;
  }

  /** Implements `super().__init__(…)`: recreates the payload. */
  reset(positional: readonly PyValue[], keywords: Keywords): void {
    if (MUTABLE.has(this.#builtinClass)) this.#payload = this.#builtinClass.instantiate(positional, keywords);
  }

  override compare(other: PyValue): number | undefined {
    if (this.#payload === undefined) return undefined;
    return pyCompare(this.#payload, other instanceof PyObject ? (other.payload ?? other) : other);
  }

  override hashKey(): HashKey | undefined {
    const overridesHash = ["__hash__", "__eq__"].some((name) => isUserMethod(this.cls.lookUp(name)));
    return overridesHash || this.#payload === undefined ? super.hashKey() : keyOf(this.#payload);
  }

  override index(): bigint | undefined {
    if (typeof this.#payload === "bigint") return this.#payload;
    return isUserMethod(this.cls.lookUp("__index__")) ? super.index() : undefined;
  }

  /** Dict subclasses may provide a value for missing keys. */
  override getItem(index: PyValue): PyValue | undefined {
    const payload = this.#payload;
    const overridesMissing = payload instanceof PyDict && this.cls.lookUp("__missing__") !== undefined;
    if (overridesMissing && !isUserMethod(this.cls.lookUp("__getitem__")) && !payload.has(index)) {
      return this.callSpecial("__missing__", index);
    }
    return super.getItem(index);
  }
}

/** Their `__init__` fills the value; values of all other classes are fixed at creation. */
const MUTABLE: ReadonlySet<PyClass> = new Set<PyClass>([CLASSES.list, CLASSES.dict, CLASSES.set]);

const SUBCLASSABLE: readonly PyClass[] = [
  CLASSES.int,
  CLASSES.float,
  CLASSES.complex,
  CLASSES.str,
  CLASSES.bytes,
  CLASSES.list,
  CLASSES.tuple,
  CLASSES.dict,
  CLASSES.set,
  CLASSES.frozenset,
];

/** Returns true for a user-defined member. */
const isUserMethod = (member: PyValue | undefined): boolean => member !== undefined && !(member instanceof PyMethod);

/** Creates an instance of a class derived from `builtinClass`, and calls its `__init__`. */
function makeDerived(builtinClass: PyClass, cls: PyClass, positional: readonly PyValue[], keywords: Keywords): PyValue {
  const init = cls.lookUp("__init__");
  const isInitialized = MUTABLE.has(builtinClass) && init !== undefined;
  const payload = isInitialized
    ? builtinClass.instantiate([], NO_KEYWORDS)
    : builtinClass.instantiate(positional, keywords);
  const instance = new PyDerived(cls, builtinClass, payload);
  if (init !== undefined) callValue(bindMember(init, instance, cls), positional, keywords);
  return instance;
}

/** A method of `object`. Gets the instance as its first argument, or the class for class methods. */
class ObjectMethod extends PyFunction {
  override bind(self: PyValue): PyFunction {
    return new PyFunction(this.name, (positional, keywords) => this.call([self, ...positional], keywords));
  }
}

/** Defines a default method of `object`, which methods of subclasses may call. */
const defineObjectMethod = (name: string, body: (self: PyValue, other: PyValue) => PyValue): void => {
  OBJECT_MEMBERS.set(name, new ObjectMethod(name, ([self = null, other = null]) => body(self, other)));
};
/** Allows subclassing of built-in classes, and gives them the members of `object`. */
export function defineSubclassing(): void {
  for (const builtinClass of SUBCLASSABLE) enableSubclassing(builtinClass);
  CLASSES.object.allocate = (_positional, _keywords, cls) => new PyInstance(cls);
  defineObjectDefaults();
  OBJECT_MEMBERS.set("__init__", INIT);
  OBJECT_MEMBERS.set("__setattr__", SET_ATTRIBUTE);
  OBJECT_MEMBERS.set("__new__", NEW);
}

function enableSubclassing(builtinClass: PyClass): void {
  const isMutable = MUTABLE.has(builtinClass);
  builtinClass.constructDerived = (positional, keywords, cls) => makeDerived(builtinClass, cls, positional, keywords);
  builtinClass.allocate = (positional, keywords, cls) => {
    const payload = builtinClass.instantiate(isMutable ? [] : positional, isMutable ? NO_KEYWORDS : keywords);
    return cls === builtinClass ? payload : new PyDerived(cls, builtinClass, payload);
  };
}

function defineObjectDefaults(): void {
  defineObjectMethod("__repr__", (self) => (self instanceof PyInstance ? self.defaultRepr() : pyRepr(self)));
  defineObjectMethod("__str__", (self) => (self instanceof PyInstance ? self.repr() : pyStr(self)));
  defineObjectMethod("__eq__", (self, other) => {
    if (!(self instanceof PyInstance)) return pyEquals(self, other);
    return self === other ? true : NOT_IMPLEMENTED;
  });
  defineObjectMethod("__hash__", (self) => BigInt(identityNumberOf(self instanceof PyObject ? self : OBJECT_MEMBERS)));
}

const INIT = new ObjectMethod("__init__", ([self, ...positional], keywords) => {
  if (self instanceof PyDerived) self.reset(positional, keywords);
  return null;
});
const SET_ATTRIBUTE = new ObjectMethod("__setattr__", ([self, name, value = null]) => {
  if (typeof name !== "string") throw typeError("attribute name must be string");
  if (!(self instanceof PyInstance)) throw typeError("this value has no attributes to set");
  self.setField(name, value);
  return null;
});
const NEW = new PyFunction("__new__", ([cls = null, ...positional], keywords) => {
  if (!(cls instanceof PyClass)) throw typeError("object.__new__(X): X is not a type object");
  const allocate = cls.mro.find((one) => one.allocate)?.allocate;
  if (!allocate) throw typeError(`cannot create '${cls.name}' instances`);
  return allocate(positional, keywords, cls);
});

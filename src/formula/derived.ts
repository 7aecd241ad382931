import { callValue } from "./calls.ts";
import { CLASSES, COMMON_MEMBERS, PyClass } from "./classes.ts";
import { PyMethod } from "./descriptors.ts";
import { PyDict } from "./dicts.ts";
import { typeError } from "./errors.ts";
import { hashKey as keyOf, identityOf } from "./hash.ts";
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
} from "./values.ts";

/**
 * An instance of a class that a formula derives from one of Python's own. It stands for a value of that class; what its
 * class does not define itself works on that value.
 */
export class PyDerived extends PyInstance {
  #payload: PyValue | undefined;
  readonly #origin: PyClass;

  constructor(cls: PyClass, origin: PyClass, payload: PyValue | undefined) {
    super(cls);
    this.#origin = origin;
    this.#payload = payload;
  }

  override get payload(): PyValue | undefined {
    return this.#payload;
  }

  /** What `super().__init__(…)` does: the value is made anew. */
  reset(positional: readonly PyValue[], keywords: Keywords): void {
    if (MUTABLE.has(this.#origin)) this.#payload = this.#origin.make(positional, keywords);
  }

  override compare(other: PyValue): number | undefined {
    if (this.#payload === undefined) return undefined;
    return pyCompare(this.#payload, other instanceof PyObject ? (other.payload ?? other) : other);
  }

  override hashKey(): HashKey | undefined {
    const isOwn = ["__hash__", "__eq__"].some((name) => isDefined(this.cls.lookUp(name)));
    return isOwn || this.#payload === undefined ? super.hashKey() : keyOf(this.#payload);
  }

  override index(): bigint | undefined {
    if (typeof this.#payload === "bigint") return this.#payload;
    return isDefined(this.cls.lookUp("__index__")) ? super.index() : undefined;
  }

  /** Dicts of kinds of their own may have a value for a key that is not there. */
  override getItem(index: PyValue): PyValue | undefined {
    const payload = this.#payload;
    const hasMissing = payload instanceof PyDict && this.cls.lookUp("__missing__") !== undefined;
    if (hasMissing && !isDefined(this.cls.lookUp("__getitem__")) && !payload.has(index)) {
      return this.special("__missing__", index);
    }
    return super.getItem(index);
  }
}

/** Values of these are filled by `__init__`; those of all others are what they were made as. */
const MUTABLE: ReadonlySet<PyClass> = new Set<PyClass>([CLASSES.list, CLASSES.dict, CLASSES.set]);

const DERIVABLE: readonly PyClass[] = [
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

/** True for a member that a formula defines. */
const isDefined = (member: PyValue | undefined): boolean => member !== undefined && !(member instanceof PyMethod);

/** Makes an instance of a class derived from `origin`, and lets its `__init__` set it up. */
function makeDerived(origin: PyClass, cls: PyClass, positional: readonly PyValue[], keywords: Keywords): PyValue {
  const init = cls.lookUp("__init__");
  const isFilled = MUTABLE.has(origin) && init !== undefined;
  const payload = isFilled ? origin.make([], NO_KEYWORDS) : origin.make(positional, keywords);
  const instance = new PyDerived(cls, origin, payload);
  if (init !== undefined) callValue(bindMember(init, instance, cls), positional, keywords);
  return instance;
}

/** A method of `object`: gets the instance as its first argument, or the class where it is that of a class. */
class ObjectMethod extends PyFunction {
  override bind(self: PyValue): PyFunction {
    return new PyFunction(this.name, (positional, keywords) => this.call([self, ...positional], keywords));
  }
}

/** What instances do by themselves: the methods of their class may call it. */
const plain = (name: string, body: (self: PyValue, other: PyValue) => PyValue): void => {
  COMMON_MEMBERS.set(name, new ObjectMethod(name, ([self = null, other = null]) => body(self, other)));
};
/** Lets classes derive from Python's own, and gives them what `object` has. */
export function defineDerivation(): void {
  for (const origin of DERIVABLE) allowDerivation(origin);
  CLASSES.object.allocate = (_positional, _keywords, cls) => new PyInstance(cls);
  defineDefaults();
  COMMON_MEMBERS.set("__init__", INIT);
  COMMON_MEMBERS.set("__setattr__", SET_ATTRIBUTE);
  COMMON_MEMBERS.set("__new__", NEW);
}

function allowDerivation(origin: PyClass): void {
  const isMutable = MUTABLE.has(origin);
  origin.derive = (positional, keywords, cls) => makeDerived(origin, cls, positional, keywords);
  origin.allocate = (positional, keywords, cls) => {
    const payload = origin.make(isMutable ? [] : positional, isMutable ? NO_KEYWORDS : keywords);
    return cls === origin ? payload : new PyDerived(cls, origin, payload);
  };
}

function defineDefaults(): void {
  plain("__repr__", (self) => (self instanceof PyInstance ? self.plainRepr() : pyRepr(self)));
  plain("__str__", (self) => (self instanceof PyInstance ? self.repr() : pyStr(self)));
  plain("__eq__", (self, other) => {
    if (!(self instanceof PyInstance)) return pyEquals(self, other);
    return self === other ? true : NOT_IMPLEMENTED;
  });
  plain("__hash__", (self) => BigInt(identityOf(self instanceof PyObject ? self : COMMON_MEMBERS)));
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
  const allocate = cls.order.find((one) => one.allocate)?.allocate;
  if (!allocate) throw typeError(`cannot create '${cls.name}' instances`);
  return allocate(positional, keywords, cls);
});

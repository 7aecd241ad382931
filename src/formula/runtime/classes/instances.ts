import { OBJECT_MEMBERS, PyClass } from "./classes.ts";
import { spendSteps } from "../budget.ts";
import { callValue } from "../calls.ts";
import { PyDict } from "../collections/dicts.ts";
import { PyClassMethod, PyProperty, PyStaticMethod } from "./descriptors.ts";
import { CATCH_STEPS, PyError, typeError } from "../errors.ts";
import { intToFloat } from "../numbers/numbers.ts";
import { hashKey as keyOf, identityNumberOf, hashKeyText } from "../hash.ts";
import {
  type HashKey,
  iterate,
  type Keywords,
  PyFunction,
  PyObject,
  pyStr,
  type PyValue,
  isTruthy,
  typeName,
} from "../values.ts";

/** The method names of operators. */
const OPERATOR_METHODS: ReadonlyMap<string, string> = new Map([
  ["+", "add"],
  ["-", "sub"],
  ["*", "mul"],
  ["/", "truediv"],
  ["//", "floordiv"],
  ["%", "mod"],
  ["**", "pow"],
  ["@", "matmul"],
  ["<<", "lshift"],
  [">>", "rshift"],
  ["&", "and"],
  ["|", "or"],
  ["^", "xor"],
  ["<", "__lt__"],
  ["<=", "__le__"],
  [">", "__gt__"],
  [">=", "__ge__"],
]);

const UNARY_METHODS = { "-": "__neg__", "+": "__pos__", "~": "__invert__", abs: "__abs__" } as const;

/** `NotImplemented`: returned by methods that do not support their operand. */
export class PyNotImplemented extends PyObject {
  readonly typeName = "NotImplementedType";
  repr(): string {
    return "NotImplemented";
  }
}

export const NOT_IMPLEMENTED = new PyNotImplemented();

/** `...` */
class PyEllipsis extends PyObject {
  readonly typeName = "ellipsis";
  repr(): string {
    return "Ellipsis";
  }
}

export const ELLIPSIS = new PyEllipsis();

/** An instance of a user-defined class, or an exception. Operators and functions call the methods of its class. */
export class PyInstance extends PyObject {
  readonly cls: PyClass;
  readonly fields = new Map<string, PyValue>();

  constructor(cls: PyClass) {
    super();
    this.cls = cls;
  }

  override get typeName(): string {
    return this.cls.name;
  }

  /** Calls a special method of the class. Returns undefined if it does not exist or returns NotImplemented. */
  callSpecial(name: string, ...args: readonly PyValue[]): PyValue | undefined {
    const method = this.cls.lookUp(name);
    if (method === undefined) return undefined;
    const result = callValue(bindMember(method, this, this.cls), args, NO_KEYWORDS);
    return result === NOT_IMPLEMENTED ? undefined : result;
  }

  override attribute(name: string): PyValue | undefined {
    const member = this.cls.lookUp(name);
    if (member instanceof PyProperty && !this.fields.has(name)) {
      const value = callValue(member.getter, [this], NO_KEYWORDS);
      if (member.isCached) this.fields.set(name, value);
      return value;
    }
    const field = this.fields.get(name);
    if (field !== undefined) return field;
    if (name === "__class__") return this.cls;
    if (name === "__dict__") return fieldsDict(this);
    if (member !== undefined) return bindMember(member, this, this.cls);
    return this.callSpecial("__getattr__", name);
  }

  override setAttribute(name: string, value: PyValue | undefined): boolean {
    if (this.cls.lookUp("__setattr__")) {
      this.callSpecial("__setattr__", name, value ?? null);
      return true;
    }
    return this.setField(name, value);
  }

  /** Sets an attribute, bypassing `__setattr__`. */
  setField(name: string, value: PyValue | undefined): boolean {
    const member = this.cls.lookUp(name);
    if (member instanceof PyProperty && !member.isCached) {
      if (member.setter === null) {
        throw new PyError("AttributeError", `property '${name}' of '${this.typeName}' object has no setter`);
      }
      callValue(member.setter, [this, value ?? null], NO_KEYWORDS);
    } else if (value !== undefined) this.fields.set(name, value);
    else if (!this.fields.delete(name)) throw new PyError("AttributeError", name);
    return true;
  }

  repr(): string {
    const text = this.callSpecial("__repr__");
    return text === undefined ? this.defaultRepr() : requireString(text, "__repr__");
  }

  /** Returns the repr of classes without `__repr__`. */
  defaultRepr(): string {
    return `<${this.cls.module}.${this.cls.name} object at 0x${(0x7f0000000000 + identityNumberOf(this) * 16).toString(16)}>`;
  }

  override str(): string {
    const text = this.callSpecial("__str__");
    return text === undefined ? this.repr() : requireString(text, "__str__");
  }

  override truth(): boolean {
    const value = this.callSpecial("__bool__");
    if (value !== undefined) return isTruthy(value);
    return this.length() !== 0;
  }

  override equals(other: PyValue): boolean {
    if (other === this && !this.cls.lookUp("__eq__")) return true;
    const result =
      this.callSpecial("__eq__", other) ??
      (other instanceof PyInstance ? other.callSpecial("__eq__", this) : undefined);
    return result === undefined ? other === this : isTruthy(result);
  }

  override ordered(sign: string, other: PyValue): PyValue | undefined {
    return this.callSpecial(OPERATOR_METHODS.get(sign) ?? "", other);
  }

  override items(): undefined {
    return undefined;
  }

  override iterate(): Iterator<PyValue> | undefined {
    const iterator = this.callSpecial("__iter__");
    if (iterator !== undefined) return iterator instanceof PyInstance ? iterator.nextValues() : iterate(iterator);
    return this.cls.lookUp("__next__") ? this.nextValues() : this.itemsByIndex();
  }

  /** Iterates by calling `__next__` until it raises StopIteration. */
  nextValues(): Iterator<PyValue> {
    return {
      next: () => {
        try {
          return { done: false, value: this.callSpecial("__next__") ?? null };
        } catch (error) {
          if (!(error instanceof PyError && error.typeName === "StopIteration")) throw error;
          spendSteps(CATCH_STEPS);
          return { done: true, value: undefined };
        }
      },
    };
  }

  /** Iterates by calling `__getitem__` with 0, 1, … until it raises IndexError. */
  itemsByIndex(): Iterator<PyValue> | undefined {
    if (!this.cls.lookUp("__getitem__")) return undefined;
    let index = 0n;
    return {
      next: () => {
        try {
          return { done: false, value: this.callSpecial("__getitem__", index++) ?? null };
        } catch (error) {
          if (!(error instanceof PyError && error.typeName === "IndexError")) throw error;
          spendSteps(CATCH_STEPS);
          return { done: true, value: undefined };
        }
      },
    };
  }

  override length(): number | undefined {
    const length = this.callSpecial("__len__");
    return length === undefined ? undefined : Number(length);
  }

  override contains(value: PyValue): boolean | undefined {
    const result = this.callSpecial("__contains__", value);
    return result === undefined ? undefined : isTruthy(result);
  }

  override hashKey(): HashKey | undefined {
    const hash = this.callSpecial("__hash__");
    if (hash !== undefined) return `\0h${this.cls.name}:${hashKeyText(keyOf(hash) ?? null)}`;
    return this.cls.lookUp("__eq__") ? undefined : this;
  }

  override getItem(index: PyValue): PyValue | undefined {
    return this.callSpecial("__getitem__", index);
  }

  override setItem(index: PyValue, value: PyValue | undefined): boolean {
    if (value === undefined) return this.callSpecial("__delitem__", index) !== undefined;
    return this.callSpecial("__setitem__", index, value) !== undefined;
  }

  override index(): bigint | undefined {
    const index = this.callSpecial("__index__");
    return typeof index === "bigint" ? index : undefined;
  }

  override toFloat(): number | undefined {
    const float = this.callSpecial("__float__");
    if (float === undefined) {
      const index = this.index();
      return index === undefined ? undefined : intToFloat(index);
    }
    if (typeof float === "number") return float;
    throw typeError(`${this.typeName}.__float__ returned non-float (type ${typeName(float)})`);
  }

  override toInt(): bigint | undefined {
    const int = this.callSpecial("__int__");
    if (int === undefined) return this.index();
    if (typeof int === "bigint") return int;
    throw typeError(`__int__ returned non-int (type ${typeName(int)})`);
  }

  override binary(sign: string, other: PyValue, reflected: boolean): PyValue | undefined {
    return this.callSpecial(`__${reflected ? "r" : ""}${OPERATOR_METHODS.get(sign) ?? ""}__`, other);
  }

  override augmented(sign: string, other: PyValue): PyValue | undefined {
    return this.callSpecial(`__i${OPERATOR_METHODS.get(sign) ?? ""}__`, other);
  }

  override unary(sign: keyof typeof UNARY_METHODS): PyValue | undefined {
    return this.callSpecial(UNARY_METHODS[sign]);
  }

  override formatted(spec: string): string | undefined {
    const text = this.callSpecial("__format__", spec);
    return text === undefined ? undefined : requireString(text, "__format__");
  }
}

/** Returns `instance.__dict__`, created on first access: from then on it stores the attributes. */
function fieldsDict(instance: PyInstance): PyDict {
  return new PyFieldsDict(instance.fields);
}

/** A dict view of the attributes of an instance. */
class PyFieldsDict extends PyDict {
  readonly #fields: Map<string, PyValue>;

  constructor(fields: Map<string, PyValue>) {
    super();
    this.#fields = fields;
    this.#refresh();
  }

  /** Rereads the attributes, which may have changed. */
  #refresh(): void {
    super.clear();
    for (const [name, value] of this.#fields) super.set(name, value);
  }

  override entries(): [PyValue, PyValue][] {
    this.#refresh();
    return super.entries();
  }

  override repr(): string {
    this.#refresh();
    return super.repr();
  }

  override set(key: PyValue, value: PyValue): void {
    super.set(key, value);
    if (typeof key === "string") this.#fields.set(key, value);
  }

  override delete(key: PyValue): boolean {
    if (typeof key === "string") this.#fields.delete(key);
    return super.delete(key);
  }
}

export const NO_KEYWORDS: Keywords = new Map();

function requireString(value: PyValue, method: string): string {
  if (typeof value === "string") return value;
  throw typeError(`${method} returned non-string (type ${typeName(value)})`);
}

/** Binds a class member to `self`. */
export function bindMember(member: PyValue, self: PyValue, cls: PyClass): PyValue {
  if (member instanceof PyClass) return member;
  if (member instanceof PyFunction) return member.bind(self);
  if (member instanceof PyClassMethod) return member.bind(cls);
  if (member instanceof PyStaticMethod) return member.target;
  if (member instanceof PyProperty) return callValue(member.getter, [self], NO_KEYWORDS);
  return member;
}

/** Creates an instance of a user-defined class, and calls its `__init__`. */
export function constructInstance(cls: PyClass, positional: readonly PyValue[], keywords: Keywords): PyValue {
  const instance = new PyInstance(cls);
  if (cls.lookUp("__init__")) {
    callValue(bindMember(cls.lookUp("__init__") ?? null, instance, cls), positional, keywords);
  } else if (positional.length + keywords.size > 0) throw typeError(`${cls.name}() takes no arguments`);
  return instance;
}

/** `super()`: gives access to the members of the next classes in the method resolution order. */
export class PySuper extends PyObject {
  readonly typeName = "super";
  readonly #after: PyClass;
  readonly #self: PyValue;

  constructor(after: PyClass, self: PyValue) {
    super();
    this.#after = after;
    this.#self = self;
  }

  override attribute(name: string): PyValue | undefined {
    const self = this.#self;
    const cls = self instanceof PyInstance ? self.cls : self instanceof PyClass ? self : this.#after;
    const order = cls.mro.slice(cls.mro.indexOf(this.#after) + 1);
    for (const base of order) {
      const member = base.members.get(name);
      if (name === "__new__" && member !== undefined) return member;
      if (member !== undefined) return self instanceof PyClass ? member : bindMember(member, self, cls);
    }
    const common = OBJECT_MEMBERS.get(name);
    return common === undefined ? undefined : bindMember(common, self, cls);
  }

  repr(): string {
    return `<super: <class '${this.#after.name}'>, ${pyStr(this.#self)}>`;
  }
}

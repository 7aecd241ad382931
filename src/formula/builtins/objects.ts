import { readAttribute, writeAttribute, deleteAttribute } from "../runtime/classes/attributes.ts";
import { spendSteps } from "../runtime/budget.ts";
import { callableOf } from "../runtime/calls.ts";
import { CLASSES, classOf, PyClass } from "../runtime/classes/classes.ts";
import { PyComplex } from "../runtime/numbers/complex.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { CATCH_STEPS, notSupported, PyError, typeError } from "../runtime/errors.ts";
import { identityNumberOf, requireHashable } from "../runtime/hash.ts";
import { PyInstance, PySuper } from "../runtime/classes/instances.ts";
import { bitLength, decomposeFloat } from "../runtime/numbers/numbers.ts";
import { NOT_GIVEN, requireText } from "../runtime/signature.ts";
import { PyType } from "../runtime/classes/types.ts";
import { numberOf, PyList, PyObject, PyTuple, type PyValue, typeName } from "../runtime/values.ts";

/** `getattr(value, name, default)` */
export function getAttribute([value = null, name, defaultValue = NOT_GIVEN]: readonly PyValue[]): PyValue {
  if (defaultValue === NOT_GIVEN) return readAttribute(value, requireText(name));
  try {
    return readAttribute(value, requireText(name));
  } catch (error) {
    if (!(error instanceof PyError && error.typeName === "AttributeError")) throw error;
    spendSteps(CATCH_STEPS);
    return defaultValue;
  }
}

/** `hasattr(value, name)` */
export function hasAttribute([value = null, name]: readonly PyValue[]): boolean {
  return getAttribute([value, name ?? null, MISSING]) !== MISSING;
}

const MISSING: PyValue = new PyTuple([]);

export function setAttribute([value = null, name, assigned = null]: readonly PyValue[]): null {
  writeAttribute(value, requireText(name), assigned);
  return null;
}

export function deleteAttributeByName([value = null, name]: readonly PyValue[]): null {
  deleteAttribute(value, requireText(name));
  return null;
}

/** `isinstance(value, types)` */
export function isInstance([value = null, types = null]: readonly PyValue[]): boolean {
  // `int | None` is represented as a tuple of types.
  if (types instanceof PyTuple) {
    return types.items().some((type) => (type === null ? value === null : isInstance([value, type])));
  }
  if (types instanceof PyType) return types.isInstance(value);
  throw typeError("isinstance() arg 2 must be a type, a tuple of types, or a union");
}

/** `issubclass(cls, types)` */
export function isSubclass([cls = null, types = null]: readonly PyValue[]): boolean {
  if (!(cls instanceof PyType)) throw typeError("issubclass() arg 1 must be a class");
  if (types instanceof PyTuple) return types.items().some((type) => isSubclass([cls, type]));
  if (cls === types) return true;
  if (cls instanceof PyClass && types instanceof PyClass) return cls.isSubclassOf(types);
  if (types instanceof PyType) throw notSupported("issubclass() of this type");
  throw typeError("issubclass() arg 2 must be a class, a tuple of classes, or a union");
}

/** Cost of creating a class. */
const CLASS_STEPS = 200;

/** `type(value)`, or `type(name, bases, members)`, which creates a class. */
export function typeOf([value = null, ...others]: readonly PyValue[]): PyValue {
  if (others.length === 0) return classOf(value);
  const [bases, members] = others;
  if (typeof value !== "string" || !(bases instanceof PyTuple) || !(members instanceof PyDict)) {
    throw typeError("type() takes 1 or 3 arguments");
  }
  const parents = bases.items().filter((base) => base instanceof PyClass);
  const isFit = parents.every((base) => base.isUserDefined || base === CLASSES.object || base.constructDerived);
  if (parents.length < bases.items().length) throw typeError("bases must be types");
  if (!isFit) throw notSupported("type() with these bases");
  spendSteps(CLASS_STEPS);
  const cls = new PyClass(value, parents.length > 0 ? parents : [CLASSES.object], { isOwn: true });
  for (const [name, member] of members.entries()) cls.members.set(requireText(name), member);
  return cls;
}

export function isCallable([value = null]: readonly PyValue[]): boolean {
  return callableOf(value) !== undefined;
}

/** Returns an identity number per object; equal immutable values share it. */
export function idOf([value = null]: readonly PyValue[]): bigint {
  const base = 0x7f00_0000_0000n;
  if (value instanceof PyObject) return base + BigInt(identityNumberOf(value)) * 16n;
  return base - 16n - (hash([value]) & 0xffff_ffffn) * 16n;
}

const MODULUS = (1n << 61n) - 1n;

/** Returns `hash(value)`: CPython's hash for numbers; for other values a number shared by equal ones. */
export function hash([value = null]: readonly PyValue[]): bigint {
  if (value instanceof PyInstance) {
    const hashResult = value.callSpecial("__hash__");
    if (typeof hashResult === "bigint") return hashResult;
  }
  const number = numberOf(value);
  if (typeof number === "bigint")
    return avoidMinusOne((number < 0n ? -1n : 1n) * ((number < 0n ? -number : number) % MODULUS));
  if (typeof number === "number") return hashFloat(number);
  if (value instanceof PyComplex) {
    const sum = hashFloat(value.real) + 1_000_003n * hashFloat(value.imag);
    return avoidMinusOne(BigInt.asIntN(64, sum));
  }
  const key = requireHashable(value);
  if (typeof key === "bigint" || typeof key === "number") return hash([Number.isInteger(key) ? BigInt(key) : key]);
  if (typeof key === "string" && key.startsWith("\0q")) return hashRatio(key.slice(2));
  if (key !== null && typeof key === "object") return BigInt(identityNumberOf(key));
  const text = String(key);
  spendSteps(text.length * 8);
  let sum = 0xcbf29ce484222325n;
  for (const character of text) {
    sum = BigInt.asUintN(64, (sum ^ BigInt(character.codePointAt(0) ?? 0)) * 0x100000001b3n);
  }
  return BigInt.asIntN(64, sum);
}

/** Returns the hash of a fraction without a float equivalent, from its key `numerator/denominator`. */
function hashRatio(text: string): bigint {
  const [numerator = 0n, denominator = 1n] = text.split("/").map(BigInt);
  const size = (numerator < 0n ? -numerator : numerator) % MODULUS;
  const hashed = (size * powerModulo(denominator % MODULUS, MODULUS - 2n, MODULUS)) % MODULUS;
  return avoidMinusOne(numerator < 0n ? -hashed : hashed);
}

function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let [power, square] = [1n, base];
  for (let remainingExponent = exponent; remainingExponent > 0n; remainingExponent >>= 1n) {
    if (remainingExponent & 1n) power = (power * square) % modulus;
    square = (square * square) % modulus;
  }
  return power;
}

/** CPython reserves -1 for errors. */
const avoidMinusOne = (value: bigint): bigint => (value === -1n ? -2n : value);

function hashFloat(value: number): bigint {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 0n : value > 0 ? 314159n : -314159n;
  const { mantissa, exponent } = decomposeFloat(Math.abs(value));
  // 2^61 is congruent to 1 modulo 2^61 - 1, so a negative exponent is congruent to a positive one.
  const power = BigInt(((exponent % 61) + 61) % 61);
  const size = (mantissa * (1n << power)) % MODULUS;
  return avoidMinusOne(value < 0 ? -size : size);
}

/** Implements `hex`, `oct` and `bin`. */
export function writeRadix(value: PyValue | undefined, radix: 2 | 8 | 16, prefix: string): string {
  const number = value instanceof PyObject ? value.index() : value === undefined ? undefined : numberOf(value);
  if (typeof number !== "bigint")
    throw typeError(`'${typeName(value ?? null)}' object cannot be interpreted as an integer`);
  spendSteps(bitLength(number) / 16);
  return number < 0n ? `-${prefix}${(-number).toString(radix)}` : prefix + number.toString(radix);
}

/** `super(cls, self)` */
export function superOf([cls = null, self = null]: readonly PyValue[]): PyValue {
  if (!(cls instanceof PyClass)) throw typeError("super() argument 1 must be a type");
  return new PySuper(cls, self);
}

/** `dir(value)`: the known attributes. */
export function listAttributes([value = null]: readonly PyValue[]): PyValue {
  const names = new Set<string>();
  const cls = value instanceof PyClass ? value : classOf(value);
  if (cls instanceof PyClass) for (const one of cls.mro) for (const name of one.members.keys()) names.add(name);
  if (value instanceof PyInstance) for (const name of value.fields.keys()) names.add(name);
  return new PyList([...names].sort());
}

/** `vars(instance)` */
export function variablesOf([value = null]: readonly PyValue[]): PyValue {
  const instanceDict = value instanceof PyInstance ? value.attribute("__dict__") : undefined;
  if (instanceDict !== undefined) return instanceDict;
  throw typeError("vars() argument must have __dict__ attribute");
}

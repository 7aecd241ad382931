import type { PyClass } from "../runtime/classes/classes.ts";
import { CLASSES, OBJECT_MEMBERS } from "../runtime/classes/classes.ts";
import { type Method, PyMethod } from "../runtime/classes/descriptors.ts";
import { PyError } from "../runtime/errors.ts";
import { formatValue } from "../runtime/text/format.ts";
import { absolute, divmod, round, toFloat, toInt } from "../functions/python.ts";
import { hash } from "./objects.ts";
import { NOT_IMPLEMENTED } from "../runtime/classes/instances.ts";
import { iter, reversed } from "./iterators.ts";
import { augment, BINARY, COMPARE, UNARY } from "../runtime/operators.ts";
import { type Signature, requireText } from "../runtime/signature.ts";
import { deleteIndex, readIndex, writeIndex } from "../runtime/collections/slices.ts";
import { numberOf, pyLength, pyRepr, pyStr, type PyValue, isTruthy } from "../runtime/values.ts";

/** The dunder methods of built-in classes: formulas call them by name, and user-defined subclasses inherit them. */

type Body = (self: PyValue, args: readonly PyValue[]) => PyValue;

const NO_ARGUMENTS: Signature = {};
const ONE_ARGUMENT: Signature = { required: ["value"], positionalOnly: true };

/** Returns NotImplemented on TypeError, so that the other operand's method is tried. */
function notImplementedOnTypeError(work: () => PyValue): PyValue {
  try {
    return work();
  } catch (error) {
    if (error instanceof PyError && error.typeName === "TypeError" && error.catchable) return NOT_IMPLEMENTED;
    throw error;
  }
}

const operator = (sign: keyof typeof BINARY, reflected = false): Body =>
  reflected
    ? (self, [other = null]) => notImplementedOnTypeError(() => BINARY[sign](other, self))
    : (self, [other = null]) => notImplementedOnTypeError(() => BINARY[sign](self, other));

const comparison =
  (sign: "<" | "<=" | ">" | ">="): Body =>
  (self, [other = null]) =>
    notImplementedOnTypeError(() => COMPARE[sign](self, other));

/** Values of unrelated types return NotImplemented. */
const equality =
  (expected: boolean): Body =>
  (self, [other = null]) =>
    COMPARE["=="](self, other) === expected;

const SIGNS: ReadonlyMap<string, keyof typeof BINARY> = new Map([
  ["add", "+"],
  ["sub", "-"],
  ["mul", "*"],
  ["truediv", "/"],
  ["floordiv", "//"],
  ["mod", "%"],
  ["pow", "**"],
  ["lshift", "<<"],
  ["rshift", ">>"],
  ["and", "&"],
  ["or", "|"],
  ["xor", "^"],
]);

const toIntegerPart = (self: PyValue): PyValue => toInt([BINARY["//"](self, 1n)]);

const NULLARY: ReadonlyMap<string, Body> = new Map<string, Body>([
  ["neg", (self) => UNARY["-"](self)],
  ["pos", (self) => UNARY["+"](self)],
  ["invert", (self) => UNARY["~"](self)],
  ["abs", (self) => absolute([self])],
  ["int", (self) => toInt([self])],
  ["trunc", (self) => toInt([self])],
  ["index", (self) => numberOf(self) ?? null],
  ["float", (self) => toFloat(self)],
  ["floor", (self) => (typeof self === "number" && !Number.isFinite(self) ? toInt([self]) : toIntegerPart(self))],
  [
    "ceil",
    (self) =>
      typeof self === "number" && !Number.isFinite(self) ? toInt([self]) : UNARY["-"](toIntegerPart(UNARY["-"](self))),
  ],
  ["bool", (self) => isTruthy(self)],
  ["hash", (self) => hash([self])],
  ["repr", (self) => pyRepr(self)],
  ["str", (self) => pyStr(self)],
  ["len", (self) => BigInt(pyLength(self))],
  ["iter", (self) => iter([self])],
  ["reversed", (self) => reversed([self])],
]);

const UNARY_BODIES: ReadonlyMap<string, Body> = new Map<string, Body>([
  ["lt", comparison("<")],
  ["le", comparison("<=")],
  ["gt", comparison(">")],
  ["ge", comparison(">=")],
  ["eq", equality(true)],
  ["ne", equality(false)],
  ["format", (self, [spec]) => formatValue(self, requireText(spec))],
  ["contains", (self, [value = null]) => COMPARE.in(value, self)],
  ["getitem", (self, [index = null]) => readIndex(self, index)],
  ["divmod", (self, [other = null]) => notImplementedOnTypeError(() => divmod([self, other]))],
  ["rdivmod", (self, [other = null]) => notImplementedOnTypeError(() => divmod([other, self]))],
  ["iadd", (self, [other = null]) => augment("+")(self, other)],
  ["ior", (self, [other = null]) => augment("|")(self, other)],
  [
    "delitem",
    (self, [index = null]) => {
      deleteIndex(self, index);
      return null;
    },
  ],
]);

const SET_ITEM: Method<PyValue> = {
  signature: { required: ["index", "value"], positionalOnly: true },
  body(self, [index = null, value = null]) {
    writeIndex(self, index, value);
    return null;
  },
};

const ROUND: Method<PyValue> = {
  signature: { optional: [["ndigits", null]], positionalOnly: true },
  body: (self, [places = null]) => round([self, places]),
};

function methodOf(name: string): Method<PyValue> {
  const nullary = NULLARY.get(name);
  if (nullary) return { signature: NO_ARGUMENTS, body: nullary };
  const unary = UNARY_BODIES.get(name);
  if (unary) return { signature: ONE_ARGUMENT, body: unary };
  if (name === "setitem") return SET_ITEM;
  if (name === "round") return ROUND;
  const sign = SIGNS.get(name);
  const reflected = sign ? undefined : SIGNS.get(name.slice(1));
  if (sign) return { signature: ONE_ARGUMENT, body: operator(sign) };
  if (reflected) return { signature: ONE_ARGUMENT, body: operator(reflected, true) };
  throw new Error(`no method ${name}`);
}

const COMMON = "eq ne repr str format";
const ORDER = "lt le gt ge";
const NUMBER =
  `add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow divmod rdivmod neg pos abs int float ` +
  `trunc floor ceil round bool hash ${ORDER}`;
const COLLECTION = "len iter contains";
const SEQUENCE = `${COLLECTION} getitem add mul rmul ${ORDER}`;

const BY_CLASS: readonly (readonly [PyClass, string])[] = [
  [CLASSES.int, `${NUMBER} index invert lshift rlshift rshift rrshift and rand or ror xor rxor`],
  [CLASSES.float, NUMBER],
  [CLASSES.complex, "add radd sub rsub mul rmul truediv rtruediv pow rpow neg pos abs bool hash"],
  [CLASSES.str, `${SEQUENCE} mod rmod hash`],
  [CLASSES.bytes, `${SEQUENCE} hash`],
  [CLASSES.list, `${SEQUENCE} iadd setitem delitem reversed`],
  [CLASSES.tuple, `${SEQUENCE} hash`],
  [CLASSES.dict, `${COLLECTION} getitem setitem delitem reversed or ror ior`],
  [CLASSES.set, `${COLLECTION} ${ORDER} and rand or ror xor rxor sub rsub`],
  [CLASSES.frozenset, `${COLLECTION} ${ORDER} and rand or ror xor rxor sub rsub hash`],
  [CLASSES.range, `${COLLECTION} getitem reversed hash`],
];

/** Defines these methods on built-in classes. */
export function defineOperatorMethods(): void {
  for (const [cls, names] of BY_CLASS) {
    cls.define({
      methods: new Map(
        [...names.split(" "), ...COMMON.split(" ")].map((name) => [`__${name}__`, methodOf(name)] as const),
      ),
    });
  }

  // Instances get these methods in `derived.ts`.
  for (const name of [...COMMON.split(" "), "hash"].filter((one) => !OBJECT_MEMBERS.has(`__${one}__`))) {
    OBJECT_MEMBERS.set(`__${name}__`, new PyMethod(`__${name}__`, methodOf(name), CLASSES.object));
  }
}

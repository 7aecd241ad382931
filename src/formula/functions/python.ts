import { iter, next } from "../builtins/iterators.ts";
import * as objects from "../builtins/objects.ts";
import { spendSteps } from "../runtime/budget.ts";
import { PyBytes } from "../runtime/text/bytes.ts";
import { findAttribute } from "../runtime/classes/attributes.ts";
import { callWith } from "../runtime/calls.ts";
import { asciiRepr } from "../runtime/text/repr-conversions.ts";
import { PyInstance } from "../runtime/classes/instances.ts";
import { FLOOR_DIVIDE, MODULO } from "../runtime/numbers/arithmetic.ts";
import { overflowError, typeError, valueError } from "../runtime/errors.ts";
import { formatValue } from "../runtime/text/format.ts";
import {
  bitLength,
  floatToInt,
  intToFloat,
  parseFloatText,
  parseIntText,
  roundFloat,
  roundInt,
} from "../runtime/numbers/numbers.ts";
import { add, BINARY, isLess } from "../runtime/operators.ts";
import {
  defineFunction,
  NOT_GIVEN,
  type Signature,
  requireIndex,
  requireInt,
  requireText,
} from "../runtime/signature.ts";
import { textLength } from "../runtime/text/text.ts";
import {
  AltText,
  itemsOf,
  iterate,
  numberOf,
  PyFunction,
  PyObject,
  pyLength,
  PyList,
  pyRepr,
  PyTuple,
  type PyValue,
  isTruthy,
  typeName,
} from "../runtime/values.ts";
import { sortValues } from "../runtime/sorting.ts";

/** Built-in functions of Python. */

const VALUE: Signature = { required: ["value"], positionalOnly: true };
const NAMED_VALUE: Signature = {
  required: ["value", "name"],
  optional: [["default", NOT_GIVEN]],
  positionalOnly: true,
};

const define = (
  name: string,
  signature: Signature,
  body: (args: readonly PyValue[]) => PyValue,
): [string, PyFunction] => [name, defineFunction(name, signature, body)];

export const PYTHON_FUNCTIONS: ReadonlyMap<string, PyFunction> = new Map([
  define("len", VALUE, ([value = null]) => BigInt(pyLength(value))),
  define("repr", VALUE, ([value = null]) => pyRepr(value)),
  define("abs", VALUE, absolute),
  define("round", { required: ["number"], optional: [["ndigits", null]] }, round),
  define("divmod", { required: ["left", "right"], positionalOnly: true }, divmod),
  define("pow", { required: ["base", "exp"], optional: [["mod", null]] }, power),
  define("sum", { required: ["iterable"], optional: [["start", 0n]] }, sum),
  define("min", EXTREME(), (args) => minOrMax("min", args, (value, best) => isLess(value, best))),
  define("max", EXTREME(), (args) => minOrMax("max", args, (value, best) => isLess(best, value))),
  define("any", VALUE, ([values = null]) => hasTruthValue(values, true)),
  define("all", VALUE, ([values = null]) => !hasTruthValue(values, false)),
  define("sorted", SORTED(), ([values = null, key = null, reverse = null]) => {
    return new PyList(sortValues(itemsOf(values), requireInt(reverse) !== 0n, key));
  }),
  define("chr", VALUE, ([code]) => character(requireInt(code))),
  define("ord", VALUE, ([text]) => codeOf(requireText(text))),
  define("ascii", VALUE, ([value = null]) => asciiRepr(value)),
  define("hex", VALUE, ([value]) => objects.writeRadix(value, 16, "0x")),
  define("oct", VALUE, ([value]) => objects.writeRadix(value, 8, "0o")),
  define("bin", VALUE, ([value]) => objects.writeRadix(value, 2, "0b")),
  define("callable", VALUE, objects.isCallable),
  define("hash", VALUE, objects.hash),
  define("id", VALUE, objects.idOf),
  define("dir", VALUE, objects.listAttributes),
  define("vars", VALUE, objects.variablesOf),
  define("isinstance", { required: ["value", "types"], positionalOnly: true }, objects.isInstance),
  define("issubclass", { required: ["cls", "types"], positionalOnly: true }, objects.isSubclass),
  define("getattr", NAMED_VALUE, objects.getAttribute),
  define("hasattr", { required: ["value", "name"], positionalOnly: true }, objects.hasAttribute),
  define("setattr", { required: ["value", "name", "given"], positionalOnly: true }, objects.setAttribute),
  define("delattr", { required: ["value", "name"], positionalOnly: true }, objects.deleteAttributeByName),
  define("super", { required: ["cls", "self"], positionalOnly: true }, objects.superOf),
  define("iter", { required: ["value"], optional: [["end", NOT_GIVEN]], positionalOnly: true }, iter),
  define("next", { required: ["value"], optional: [["default", NOT_GIVEN]], positionalOnly: true }, next),
  /** Output is discarded. */
  define("print", { rest: true, anyKeywords: true }, () => null),
  define("format", { required: ["value"], optional: [["spec", ""]], positionalOnly: true }, ([value = null, spec]) =>
    formatValue(value, requireText(spec)),
  ),
]);

function SORTED(): Signature {
  return {
    required: ["iterable"],
    keywordOnly: true,
    optional: [
      ["key", null],
      ["reverse", false],
    ],
  };
}

export function toInt([value = null, base = null]: readonly PyValue[]): PyValue {
  const text = numericTextOf(value);
  if (base !== null) {
    const radix = requireIndex(base);
    if (radix !== 0 && (radix < 2 || radix > 36)) throw valueError("int() base must be >= 2 and <= 36, or 0");
    if (typeof text !== "string") throw typeError("int() can't convert non-string with explicit base");
    return parseIntText(text, radix);
  }
  if (typeof text === "string") return parseIntText(text);
  const intResult =
    value instanceof PyInstance
      ? (value.callSpecial("__int__") ?? value.callSpecial("__index__") ?? value.callSpecial("__trunc__"))
      : undefined;
  const number = numberOf(intResult ?? text) ?? wholePart(value);
  if (number === undefined) {
    throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`);
  }
  return typeof number === "bigint" ? number : floatToInt(number);
}

/** Returns the text to parse as a number: bytes and texts in cells of another type are accepted too. */
function numericTextOf(value: PyValue): PyValue {
  if (value instanceof AltText || value instanceof PyBytes) return value.text;
  return value instanceof PyObject && typeof value.payload === "string" ? value.payload : value;
}

const wholePart = (value: PyValue): bigint | undefined => (value instanceof PyObject ? value.toInt() : undefined);

/** Returns true if a value has this truth value; stops at the first one. */
function hasTruthValue(values: PyValue, expected: boolean): boolean {
  const iterator = iterate(values);
  for (let item = iterator.next(); !item.done; item = iterator.next()) {
    spendSteps(1);
    if (isTruthy(item.value) === expected) return true;
  }
  return false;
}

/** Implements `float(value)`. */
export function toFloat(value: PyValue): number {
  const text = numericTextOf(value);
  if (typeof text === "string") return parseFloatText(text);
  const floatResult = value instanceof PyInstance ? value.callSpecial("__float__") : undefined;
  const number = numberOf(floatResult ?? text) ?? (value instanceof PyObject ? value.toFloat() : undefined);
  if (number === undefined) {
    throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
  }
  return typeof number === "bigint" ? intToFloat(number) : number;
}

export function absolute([value = null]: readonly PyValue[]): PyValue {
  const number = numberOf(value);
  if (typeof number === "number") return Math.abs(number);
  if (typeof number === "bigint") return number < 0n ? -number : number;
  const result = value instanceof PyObject ? value.unary("abs") : undefined;
  if (result !== undefined) return result;
  throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
}

export function round([value = null, places = null]: readonly PyValue[]): PyValue {
  const number = numberOf(value);
  if (value instanceof PyObject) {
    const rounded = value.round(places === null ? undefined : requireIndex(places));
    if (rounded !== undefined) return rounded;
  }
  if (number === undefined) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  const digits = places === null ? 0 : requireIndex(places);
  if (typeof number === "bigint") return roundInt(number, digits);
  if (places === null) return Number.isFinite(number) ? floatToInt(roundFloat(number, 0)) : floatToInt(number);
  return roundFloat(number, digits);
}

/** `divmod(left, right)` */
export function divmod([left = null, right = null]: readonly PyValue[]): PyValue {
  const a = numberOf(left);
  const b = numberOf(right);
  if (left instanceof PyObject || right instanceof PyObject) {
    const divmodMethod = left instanceof PyObject ? findAttribute(left, "__divmod__") : undefined;
    if (divmodMethod instanceof PyFunction) return callWith(divmodMethod, right);
    return new PyTuple([BINARY["//"](left, right), BINARY["%"](left, right)]);
  }
  if (a === undefined || b === undefined) {
    throw typeError(`unsupported operand type(s) for divmod(): '${typeName(left)}' and '${typeName(right)}'`);
  }
  if (typeof a === "bigint" && typeof b === "bigint") return new PyTuple([FLOOR_DIVIDE.ints(a, b), MODULO.ints(a, b)]);
  return new PyTuple([BINARY["//"](a, b), BINARY["%"](a, b)]);
}

function power([base = null, exponent = null, modulus = null]: readonly PyValue[]): PyValue {
  if (modulus === null) return BINARY["**"](base, exponent);
  return powerModulo(requireInt(base), requireInt(exponent), requireInt(modulus));
}

function sum([values = null, start = null]: readonly PyValue[]): PyValue {
  if (typeof start === "string") throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  if (values instanceof PyList || values instanceof PyTuple) {
    spendSteps(values.items().length / 2);
    return values.items().reduce(add, start);
  }
  const iterator = iterate(values);
  let total: PyValue = start;
  for (let item = iterator.next(); !item.done; item = iterator.next()) {
    spendSteps(1);
    total = add(total, item.value);
  }
  return total;
}

function EXTREME(): Signature {
  return {
    required: ["value"],
    optional: [
      ["key", null],
      ["default", NOT_GIVEN],
    ],
    rest: true,
  };
}

function minOrMax(
  name: string,
  [first = null, key = null, defaultValue = null, ...others]: readonly PyValue[],
  better: (value: PyValue, best: PyValue) => boolean,
): PyValue {
  const values = others.length > 0 ? [first, ...others] : itemsOf(first);
  let [best] = values;
  if (best === undefined) {
    if (defaultValue === NOT_GIVEN) throw valueError(`${name}() arg is an empty sequence`);
    return defaultValue;
  }
  const measure = (value: PyValue): PyValue => (key === null ? value : callWith(key, value));
  let size = measure(best);
  for (const value of values.slice(1)) {
    const measured = measure(value);
    if (!better(measured, size)) continue;
    best = value;
    size = measured;
  }
  return best;
}

/** Returns `pow(base, exponent, modulus)` of ints. */
function powerModulo(base: bigint, exponent: bigint, modulus: bigint): bigint {
  if (modulus === 0n) throw valueError("pow() 3rd argument cannot be 0");
  const inverse = exponent < 0n;
  let square = MODULO.ints(inverse ? modularInverse(base, modulus) : base, modulus) as bigint;
  let result = MODULO.ints(1n, modulus) as bigint;
  for (let remainingExponent = inverse ? -exponent : exponent; remainingExponent > 0n; remainingExponent >>= 1n) {
    spendSteps(2 + bitLength(modulus) ** 2 / 65_536);
    if (remainingExponent & 1n) result = MODULO.ints(result * square, modulus) as bigint;
    square = MODULO.ints(square * square, modulus) as bigint;
  }
  return result;
}

/** Returns the modular multiplicative inverse. */
function modularInverse(value: bigint, modulus: bigint): bigint {
  let [a, b] = [modulus < 0n ? -modulus : modulus, MODULO.ints(value, modulus) as bigint];
  let [x, y] = [0n, 1n];
  while (b !== 0n) {
    const quotient = a / b;
    [a, b] = [b, a - quotient * b];
    [x, y] = [y, x - quotient * y];
    spendSteps(4);
  }
  if (a !== 1n) throw valueError("base is not invertible for the given modulus");
  return x;
}

export function character(code: bigint): string {
  if (BigInt.asIntN(32, code) !== code) throw overflowError("Python int too large to convert to C int");
  if (code < 0n || code > 0x10ffffn) throw valueError("chr() arg not in range(0x110000)");
  return String.fromCodePoint(Number(code));
}

export function codeOf(text: string): bigint {
  const length = textLength(text);
  if (length !== 1) throw typeError(`ord() expected a character, but string of length ${length} found`);
  return BigInt(text.codePointAt(0) ?? 0);
}

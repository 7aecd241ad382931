import { FLOOR_DIVIDE, MODULO } from "../arithmetic.ts";
import { notSupported, overflowError, typeError, valueError } from "../errors.ts";
import { formatValue } from "../format.ts";
import { floatToInt, intToFloat, parseFloatText, parseIntText, roundFloat, roundInt } from "../numbers.ts";
import { add, BINARY, isLess } from "../operators.ts";
import { defineFunction, type Signature, wantIndex, wantInt, wantText } from "../signature.ts";
import { textLength } from "../text.ts";
import {
  AltText,
  itemsOf,
  numberOf,
  type PyFunction,
  PyObject,
  pyLength,
  PyList,
  pyRepr,
  pyStr,
  PyTuple,
  type PyValue,
  truth,
  typeName,
} from "../values.ts";
import { sortValues } from "../sorting.ts";

/** Functions of Python itself. */

/** Stands for a default that is not given, where None would be one. */
const NOTHING = new PyTuple([]);

const VALUE: Signature = { required: ["value"], positionalOnly: true };
const MAYBE = (name: string, standard: PyValue): Signature => ({ optional: [[name, standard]], positionalOnly: true });

const define = (
  name: string,
  signature: Signature,
  body: (args: readonly PyValue[]) => PyValue,
): [string, PyFunction] => [name, defineFunction(name, signature, body)];

export const PYTHON_FUNCTIONS: ReadonlyMap<string, PyFunction> = new Map([
  define("len", VALUE, ([value = null]) => BigInt(pyLength(value))),
  define("str", { optional: [["object", ""]] }, ([value = null]) => pyStr(value)),
  define("repr", VALUE, ([value = null]) => pyRepr(value)),
  define("bool", MAYBE("value", false), ([value = null]) => truth(value)),
  define(
    "int",
    {
      optional: [
        ["value", 0n],
        ["base", null],
      ],
    },
    toInt,
  ),
  define("float", MAYBE("value", 0), ([value = null]) => toFloat(value)),
  define("abs", VALUE, absolute),
  define("round", { required: ["number"], optional: [["ndigits", null]] }, round),
  define("divmod", { required: ["left", "right"], positionalOnly: true }, divideWithRest),
  define("pow", { required: ["base", "exp"], optional: [["mod", null]] }, power),
  define("sum", { required: ["iterable"], optional: [["start", 0n]] }, sum),
  define("min", EXTREME(), (args) => extreme("min", args, (value, best) => isLess(value, best))),
  define("max", EXTREME(), (args) => extreme("max", args, (value, best) => isLess(best, value))),
  define("any", VALUE, ([values = null]) => itemsOf(values).some(truth)),
  define("all", VALUE, ([values = null]) => itemsOf(values).every(truth)),
  define("list", MAYBE("iterable", new PyTuple([])), ([values = null]) => new PyList(itemsOf(values))),
  define("tuple", MAYBE("iterable", new PyTuple([])), ([values = null]) => new PyTuple(itemsOf(values))),
  define("sorted", SORTED(), ([values = null, key = null, reverse = null]) => {
    if (key !== null) throw notSupported("sorted() with a key");
    return new PyList(sortValues(itemsOf(values), truth(reverse)));
  }),
  define("chr", VALUE, ([code]) => character(wantInt(code))),
  define("ord", VALUE, ([text]) => codeOf(wantText(text))),
  define("format", { required: ["value"], optional: [["spec", ""]], positionalOnly: true }, ([value = null, spec]) =>
    formatValue(value, wantText(spec)),
  ),
]);

function SORTED(): Signature {
  return {
    required: ["iterable"],
    optional: [
      ["key", null],
      ["reverse", false],
    ],
  };
}

function toInt([value = null, base = null]: readonly PyValue[]): PyValue {
  const text = value instanceof AltText ? value.text : value;
  if (base !== null) {
    if (typeof text !== "string") throw typeError("int() can't convert non-string with explicit base");
    const radix = wantIndex(base);
    if (radix !== 0 && (radix < 2 || radix > 36)) throw valueError("int() base must be >= 2 and <= 36, or 0");
    return parseIntText(text, radix);
  }
  if (typeof text === "string") return parseIntText(text);
  const number = numberOf(text);
  if (number === undefined) {
    throw typeError(`int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`);
  }
  return typeof number === "bigint" ? number : floatToInt(number);
}

/** `float(value)` */
export function toFloat(value: PyValue): number {
  const text = value instanceof AltText ? value.text : value;
  if (typeof text === "string") return parseFloatText(text);
  const number = numberOf(text);
  if (number === undefined) {
    throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
  }
  return typeof number === "bigint" ? intToFloat(number) : number;
}

function absolute([value = null]: readonly PyValue[]): PyValue {
  const number = numberOf(value);
  if (typeof number === "number") return Math.abs(number);
  if (typeof number === "bigint") return number < 0n ? -number : number;
  const result = value instanceof PyObject ? value.unary("abs") : undefined;
  if (result !== undefined) return result;
  throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
}

function round([value = null, places = null]: readonly PyValue[]): PyValue {
  const number = numberOf(value);
  if (number === undefined) throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  const digits = places === null ? 0 : wantIndex(places);
  if (typeof number === "bigint") return roundInt(number, digits);
  if (places === null) return Number.isFinite(number) ? floatToInt(roundFloat(number, 0)) : floatToInt(number);
  return roundFloat(number, digits);
}

function divideWithRest([left = null, right = null]: readonly PyValue[]): PyValue {
  const a = numberOf(left);
  const b = numberOf(right);
  if (left instanceof PyObject || right instanceof PyObject) {
    return new PyTuple([BINARY["//"](left, right), BINARY["%"](left, right)]);
  }
  if (a === undefined || b === undefined) {
    throw typeError(`unsupported operand type(s) for divmod(): '${typeName(left)}' and '${typeName(right)}'`);
  }
  if (typeof a === "bigint" && typeof b === "bigint") return new PyTuple([FLOOR_DIVIDE.ints(a, b), MODULO.ints(a, b)]);
  return new PyTuple([BINARY["//"](a, b), BINARY["%"](a, b)]);
}

function power([base = null, exponent = null, modulus = null]: readonly PyValue[]): PyValue {
  if (modulus !== null) throw notSupported("pow() with a modulus");
  return BINARY["**"](base, exponent);
}

function sum([values = null, start = null]: readonly PyValue[]): PyValue {
  if (typeof start === "string") throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  return itemsOf(values).reduce(add, start);
}

function EXTREME(): Signature {
  return {
    required: ["value"],
    optional: [
      ["key", null],
      ["default", NOTHING],
    ],
    rest: true,
  };
}

function extreme(
  name: string,
  [first = null, key = null, standard = null, ...others]: readonly PyValue[],
  better: (value: PyValue, best: PyValue) => boolean,
): PyValue {
  if (key !== null) throw notSupported(`${name}() with a key`);
  const values = others.length > 0 ? [first, ...others] : itemsOf(first);
  let [best] = values;
  if (best === undefined) {
    if (standard === NOTHING) throw valueError(`${name}() arg is an empty sequence`);
    return standard;
  }
  for (const value of values.slice(1)) {
    if (better(value, best)) best = value;
  }
  return best;
}

function character(code: bigint): string {
  if (BigInt.asIntN(32, code) !== code) throw overflowError("Python int too large to convert to C int");
  if (code < 0n || code > 0x10ffffn) throw valueError("chr() arg not in range(0x110000)");
  return String.fromCodePoint(Number(code));
}

function codeOf(text: string): bigint {
  const length = textLength(text);
  if (length !== 1) throw typeError(`ord() expected a character, but string of length ${length} found`);
  return BigInt(text.codePointAt(0) ?? 0);
}

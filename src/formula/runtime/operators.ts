import * as arithmetic from "./numbers/arithmetic.ts";
import type { BinaryOperator, CompareOperator, UnaryOperator } from "../parser/ast.ts";
import { spendBytes } from "./budget.ts";
import { complexPower, PyComplex } from "./numbers/complex.ts";
import { notSupported, overflowError, typeError } from "./errors.ts";
import { formatPercent } from "./text/percent-format.ts";
import { intToFloat } from "./numbers/numbers.ts";
import { repeatText, chargeForSearch } from "./text/text.ts";
import {
  itemsOf,
  numberOf,
  pyCompare,
  pyEquals,
  PyList,
  PySequence,
  type PyValue,
  PyObject,
  isTruthy,
  typeName,
} from "./values.ts";

/** Python operators on all values. All throw PyError. */

type Binary = (left: PyValue, right: PyValue) => PyValue;

export const BINARY: Readonly<Record<BinaryOperator, Binary>> = {
  "+": add,
  "-": numeric("-", arithmetic.SUBTRACT),
  "*": multiply,
  "/": numeric("/", arithmetic.DIVIDE),
  "//": numeric("//", arithmetic.FLOOR_DIVIDE),
  "%": modulo,
  "**": power,
  "<<": numeric("<<", arithmetic.SHIFT_LEFT),
  ">>": numeric(">>", arithmetic.SHIFT_RIGHT),
  "&": bitwise("&", arithmetic.BIT_AND, (left, right) => left && right),
  "|": bitwise("|", arithmetic.BIT_OR, (left, right) => left || right),
  "^": bitwise("^", arithmetic.BIT_XOR, (left, right) => left !== right),
  "@": (left, right) => {
    throw unsupportedOperands("@", left, right);
  },
};

const addNumbers = numeric("+", arithmetic.ADD);

export function add(left: PyValue, right: PyValue): PyValue {
  if (typeof left === "number" && typeof right === "number") return left + right;
  if (typeof left === "string" && typeof right === "string") {
    spendBytes((left.length + right.length) * 2);
    return left + right;
  }
  if (left instanceof PySequence && right instanceof PySequence && left.sequenceKind === right.sequenceKind) {
    spendBytes((left.items().length + right.items().length) * 8);
    // Named tuples may define their own operator.
    const result = left.binary("+", right, false);
    if (result !== undefined) return result;
    return left.withItems([...left.items(), ...right.items()]);
  }
  return addNumbers(left, right);
}

const isSequence = (value: PyValue): boolean =>
  typeof value === "string" || value instanceof PySequence || typeName(value) === "bytes";

function concatenationError(left: PyValue, right: PyValue): Error {
  const [leftType, other] = [typeName(left), typeName(right)];
  if (leftType === "bytes") return typeError(`can't concat ${other} to bytes`);
  return typeError(`can only concatenate ${leftType} (not "${other}") to ${leftType}`);
}

const multiplyNumbers = numeric("*", arithmetic.MULTIPLY);

function multiply(left: PyValue, right: PyValue): PyValue {
  if (typeof left === "number" && typeof right === "number") return left * right;
  const repeated = repeatSequence(left, right) ?? repeatSequence(right, left);
  return repeated ?? multiplyNumbers(left, right);
}

/** CPython uses 64-bit indexes. */
const MAX_INDEX = 2n ** 63n;

/** Returns a string or sequence repeated `repetitions` times; undefined for other operand types. */
function repeatSequence(value: PyValue, repetitions: PyValue): PyValue | undefined {
  if (typeof value !== "string" && !(value instanceof PySequence)) return undefined;
  if (repetitions instanceof PyObject && repetitions.index() === undefined) return repetitions.binary("*", value, true);
  const count = typeof repetitions === "number" ? undefined : numberOf(repetitions);
  if (typeof count !== "bigint")
    throw typeError(`can't multiply sequence by non-int of type '${typeName(repetitions)}'`);
  if (count > MAX_INDEX || count < -MAX_INDEX) throw overflowError("cannot fit 'int' into an index-sized integer");
  if (typeof value === "string") return repeatText(value, count);
  const items = value.items();
  if (count <= 0n || items.length === 0) return value.withItems([]);
  spendBytes(items.length * 8 * Number(count));
  return value.withItems(Array.from({ length: Number(count) }, () => items).flat());
}

const powerNumbers = numeric("** or pow()", arithmetic.POWER);

function power(left: PyValue, right: PyValue): PyValue {
  // A negative base with a fractional exponent gives a complex number.
  if (typeof right === "number" && !Number.isInteger(right) && Number.isFinite(right)) {
    const base = numberOf(left);
    if (base !== undefined && base < 0 && base !== -Infinity) {
      return complexPower(new PyComplex(toFloat(base), 0), new PyComplex(right, 0));
    }
  }
  return powerNumbers(left, right);
}

const moduloNumbers = numeric("%", arithmetic.MODULO);

function modulo(left: PyValue, right: PyValue): PyValue {
  if (typeof left === "string") return formatPercent(left, right);
  return moduloNumbers(left, right);
}

/** Returns the operator for numbers of all types: floats if one operand is a float, else ints; a bool is an int. */
function numeric(sign: string, operator: arithmetic.NumberOperator): Binary {
  const { ints, floats } = operator;
  return (left, right) => {
    if (floats && typeof left === "number" && typeof right === "number") return floats(left, right);
    if (typeof left === "bigint" && typeof right === "bigint") return ints(left, right);
    const a = numberOf(left);
    const b = numberOf(right);
    if (a === undefined || b === undefined) return binaryOfObjects(sign, left, right);
    if (typeof a === "bigint" && typeof b === "bigint") return ints(a, b);
    if (!floats) throw unsupportedOperands(sign, left, right);
    return floats(toFloat(a), toFloat(b));
  };
}

const toFloat = (value: bigint | number): number => (typeof value === "bigint" ? intToFloat(value) : value);

/** Returns a bitwise operator; two bools give a bool. */
function bitwise(
  sign: string,
  operator: arithmetic.NumberOperator,
  logic: (left: boolean, right: boolean) => boolean,
): Binary {
  const numbers = numeric(sign, operator);
  return (left, right) =>
    typeof left === "boolean" && typeof right === "boolean" ? logic(left, right) : numbers(left, right);
}

/** Dispatches to the operators of objects; the left operand first. */
function binaryOfObjects(sign: string, left: PyValue, right: PyValue): PyValue {
  const plain = sign.startsWith("**") ? "**" : sign;
  const result =
    (left instanceof PyObject ? left.binary(plain, right, false) : undefined) ??
    (right instanceof PyObject ? right.binary(plain, left, true) : undefined);
  if (result !== undefined) return result;
  // An instance of a class derived from a built-in class passes its payload to the other operand.
  const [a, b] = [payloadOf(left), payloadOf(right)];
  if (a !== undefined || b !== undefined) return BINARY[plain as BinaryOperator](a ?? left, b ?? right);
  for (const side of [left, right]) {
    if (side instanceof PyObject && side.hasOperators) throw notSupported(`${sign} with ${typeName(side)} values`);
  }
  if (sign === "+" && isSequence(left)) throw concatenationError(left, right);
  throw unsupportedOperands(sign, left, right);
}

const payloadOf = (value: PyValue): PyValue | undefined => (value instanceof PyObject ? value.payload : undefined);

const unsupportedOperands = (sign: string, left: PyValue, right: PyValue) =>
  typeError(`unsupported operand type(s) for ${sign}: '${typeName(left)}' and '${typeName(right)}'`);

export const UNARY: Readonly<Record<UnaryOperator, (value: PyValue) => PyValue>> = {
  not: (value) => !isTruthy(value),
  "-": (value) => {
    const number = numberOf(value);
    return number === undefined ? unaryOfObject("-", value) : -number;
  },
  "+": (value) => numberOf(value) ?? unaryOfObject("+", value),
  "~": (value) => {
    const number = numberOf(value);
    return typeof number === "bigint" ? ~number : unaryOfObject("~", value);
  },
};

function unaryOfObject(sign: "-" | "+" | "~", value: PyValue): PyValue {
  const result = value instanceof PyObject ? value.unary(sign) : undefined;
  if (result !== undefined) return result;
  throw typeError(`bad operand type for unary ${sign}: '${typeName(value)}'`);
}

const REFLECTED_COMPARISONS: ReadonlyMap<string, string> = new Map([
  ["<", ">"],
  ["<=", ">="],
  [">", "<"],
  [">=", "<="],
]);

export const COMPARE: Readonly<Record<CompareOperator, (left: PyValue, right: PyValue) => boolean>> = {
  "==": pyEquals,
  "!=": (left, right) => !pyEquals(left, right),
  "<": ordering("<", (order) => order < 0),
  "<=": ordering("<=", (order) => order <= 0),
  ">": ordering(">", (order) => order > 0),
  ">=": ordering(">=", (order) => order >= 0),
  in: (left, right) => contains(right, left),
  "not in": (left, right) => !contains(right, left),
  is: isIdentical,
  "is not": (left, right) => !isIdentical(left, right),
};

function ordering(sign: string, holds: (order: number) => boolean): (left: PyValue, right: PyValue) => boolean {
  const reflectedSign = REFLECTED_COMPARISONS.get(sign) ?? sign;
  return (left, right) => {
    const result = left instanceof PyObject ? left.ordered(sign, right) : undefined;
    const reflectedResult = result ?? (right instanceof PyObject ? right.ordered(reflectedSign, left) : undefined);
    if (reflectedResult !== undefined) return isTruthy(reflectedResult);
    const order = pyCompare(left, right);
    if (order === undefined) throw notOrderable(sign, left, right);
    return holds(order);
  };
}

const notOrderable = (sign: string, left: PyValue, right: PyValue) =>
  typeError(`'${sign}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`);

/** Returns `left < right`. */
export const isLess = COMPARE["<"];

function contains(collection: PyValue, value: PyValue): boolean {
  if (typeof collection === "string") {
    const payload = payloadOf(value);
    if (typeof payload === "string") return contains(collection, payload);
    if (typeof value !== "string") {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(value)}`);
    }
    chargeForSearch(collection, value);
    return collection.includes(value);
  }
  const result = collection instanceof PyObject ? collection.contains(value) : undefined;
  if (result !== undefined) return result;
  const values = collection instanceof PyObject ? collection.iterate() : undefined;
  if (!values) throw typeError(`argument of type '${typeName(collection)}' is not iterable`);
  for (let item = values.next(); !item.done; item = values.next()) {
    if (item.value === value || pyEquals(item.value, value)) return true;
  }
  return false;
}

/** Small ints and strings are interned, as in CPython. */
function isIdentical(left: PyValue, right: PyValue): boolean {
  return left === right;
}

/** Returns the operator for `left sign= right`: mutable types modify themselves and keep their identity. */
export function augment(sign: BinaryOperator): Binary {
  const operate = BINARY[sign];
  return (left, right) => {
    if (!(left instanceof PyObject)) return operate(left, right);
    if (left instanceof PyList && sign === "+") {
      const items = itemsOf(right);
      spendBytes(items.length * 8);
      left.replaceItems([...left.items(), ...items]);
      return left;
    }
    if (left instanceof PyList && sign === "*") {
      const result = operate(left, right);
      if (result instanceof PyList) left.replaceItems([...result.items()]);
      return result instanceof PyList ? left : result;
    }
    return left.augmented(sign, right) ?? operate(left, right);
  };
}

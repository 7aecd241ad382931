import { POWER } from "../arithmetic.ts";
import { spendBytes, spendSteps } from "../budget.ts";
import { classOf, PyClass } from "../classes.ts";
import { overflowError, type PyError, typeError, valueError } from "../errors.ts";
import { PyInstance } from "../instances.ts";
import { BINARY } from "../operators.ts";
import { bitLength, floatToInt, intRoot, splitFloat } from "../numbers.ts";
import { addRatios, greatestDivisor, type Ratio, ratioOf, ratioToFloat } from "../ratios.ts";
import { wantFloat, wantInt } from "../signature.ts";
import { itemsOf, numberOf, PyFunction, PyObject, PyTuple, type PyValue, typeName } from "../values.ts";
import { entry, entryWith } from "./define.ts";
import { PyModule } from "./module.ts";

const domainError = (): PyError => valueError("math domain error");

/** A function of floats: no number as the result of numbers is an error, and so is an infinite one of finite ones. */
function ofFloats(name: string, count: number, compute: (...values: number[]) => number): [string, PyValue] {
  const names = ["x", "y", "z"].slice(0, count);
  return entryWith(name, { required: names, positionalOnly: true }, (args) => {
    const values = args.map(wantFloat);
    // Of a hyperbolic tangent there is none of this size.
    if (name === "atanh" && Math.abs(values[0] ?? 0) === 1) throw domainError();
    const result = compute(...values);
    if (Number.isNaN(result) && !values.some(Number.isNaN)) throw domainError();
    if (!Number.isFinite(result) && values.every(Number.isFinite)) throw overflowError("math range error");
    return result;
  });
}

/** A test of a float. */
const test = (name: string, holds: (value: number) => boolean): [string, PyValue] =>
  entry(name, "x", ([x]) => holds(wantFloat(x)));

type Whole = "floor" | "ceil" | "trunc";

/** `math.floor(value)` */
export const floor = (value: PyValue): PyValue => wholeOf("floor", value);

/** `math.ceil(value)` */
export const ceil = (value: PyValue): PyValue => wholeOf("ceil", value);

/** An int below or above a number. Kinds of numbers may have methods of their own; others are read as floats. */
function wholeOf(name: Whole, value: PyValue): PyValue {
  const number = numberOf(value);
  if (typeof number === "bigint") return number;
  const own = value instanceof PyObject ? ownWhole(name, value) : undefined;
  if (own !== undefined) return own;
  if (name === "trunc" && number === undefined) {
    throw typeError(`type ${typeName(value)} doesn't define __trunc__ method`);
  }
  return floatToInt(Math[name](wantFloat(value)));
}

function ownWhole(name: Whole, value: PyObject): PyValue | undefined {
  if (value instanceof PyInstance) return value.special(`__${name}__`);
  const cls = classOf(value);
  const method = cls instanceof PyClass ? cls.lookUp(`__${name}__`) : undefined;
  if (method instanceof PyFunction) return method.call([value], new Map());
  // Fractions and decimals: records and texts in cells of another type have `int()` alone.
  const exact = value.binary("//", 1n, false) === undefined ? undefined : value.toInt();
  if (exact === undefined || name === "trunc") return exact;
  const below = numberOf(BINARY["//"](value, 1n));
  const least = typeof below === "bigint" ? below : exact;
  return name === "floor" || value.equals(least) ? least : least + 1n;
}

function logarithm([value = null, base = null]: readonly PyValue[]): number {
  const result = logOf(value, Math.log);
  return base === null ? result : (BINARY["/"](result, logOf(base, Math.log)) as number);
}

/** Ints beyond the floats have logarithms too. */
function logOf(value: PyValue | undefined, log: (value: number) => number): number {
  const number = numberOf(value ?? null);
  if (typeof number === "bigint" && number > 0n && bitLength(number) > 1000) {
    const shift = bitLength(number) - 64;
    return log(Number(number >> BigInt(shift))) + shift * log(2);
  }
  const float = wantFloat(value);
  if (float <= 0) throw domainError();
  return log(float);
}

function factorial([value = null]: readonly PyValue[]): bigint {
  const number = wantInt(value);
  if (number < 0n) throw valueError("factorial() not defined for negative values");
  return productOf(1n, number);
}

/** The product of all ints from `first` to `last`. */
function productOf(first: bigint, last: bigint): bigint {
  let result = 1n;
  for (let factor = first; factor <= last; factor++) result = BINARY["*"](result, factor) as bigint;
  return result;
}

function choose([n, k]: readonly PyValue[]): bigint {
  const from = wantInt(n);
  const count = wantInt(k);
  if (from < 0n || count < 0n) throw valueError("n and k must be non-negative integers");
  if (count > from) return 0n;
  const least = count > from - count ? from - count : count;
  let result = 1n;
  for (let index = 1n; index <= least; index++) {
    result = (BINARY["*"](result, from - least + index) as bigint) / index;
  }
  return result;
}

function permute([n, k = null]: readonly PyValue[]): bigint {
  const from = wantInt(n);
  const count = k === null ? from : wantInt(k);
  if (from < 0n || count < 0n) throw valueError("n and k must be non-negative integers");
  return count > from ? 0n : productOf(from - count + 1n, from);
}

/** `math.isqrt(value)` */
function wholeRoot(value: bigint): bigint {
  if (value < 0n) throw valueError("isqrt() argument must be nonnegative");
  return intRoot(value);
}

const bits = new DataView(new ArrayBuffer(8));

/** The float next to `from` towards `to`. */
function nextFloat(from: number, to: number): number {
  if (Number.isNaN(from) || Number.isNaN(to)) return Number.NaN;
  if (from === to) return to;
  if (from === 0) return to > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  bits.setFloat64(0, from);
  const isAway = from > 0 === to > from;
  bits.setBigInt64(0, bits.getBigInt64(0) + (isAway ? 1n : -1n));
  return bits.getFloat64(0);
}

function isClose([a, b, relative, absolute]: readonly PyValue[]): boolean {
  const [left, right] = [wantFloat(a), wantFloat(b)];
  if (wantFloat(relative) < 0 || wantFloat(absolute) < 0) throw valueError("tolerances must be non-negative");
  if (left === right) return true;
  if (!Number.isFinite(left) || !Number.isFinite(right)) return false;
  const difference = Math.abs(left - right);
  const scale = wantFloat(relative) * Math.max(Math.abs(left), Math.abs(right));
  return difference <= Math.max(scale, wantFloat(absolute));
}

/** The exact sum, rounded once. */
function exactSum([values = null]: readonly PyValue[]): number {
  const floats = itemsOf(values).map(wantFloat);
  const odd = floats.filter((float) => !Number.isFinite(float));
  if (odd.length > 0) return odd.reduce((sum, float) => sum + float, 0);
  spendSteps(floats.length * 20);
  return ratioToFloat(floats.reduce<Ratio>((sum, float) => addRatios(sum, ratioOf(float)), { over: 0n, under: 1n }));
}

function splitExponent([value]: readonly PyValue[]): PyTuple {
  const float = wantFloat(value);
  if (float === 0 || !Number.isFinite(float)) return new PyTuple([float, 0n]);
  const { mantissa, exponent } = splitFloat(Math.abs(float));
  const bits = bitLength(mantissa);
  const size = Number(mantissa) / 2 ** bits;
  return new PyTuple([float < 0 ? -size : size, BigInt(exponent + bits)]);
}

/** `x - n*y` for the nearest int n. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(y)) return x;
  const rest = Math.abs(x % y);
  const size = Math.abs(y);
  const quotientIsOdd = Math.floor(Math.abs((x - (x % y)) / y)) % 2 === 1;
  const isBeyond = rest > size - rest || (rest === size - rest && quotientIsOdd);
  const result = isBeyond ? rest - size : rest;
  return x < 0 ? -result : result;
}

function leastMultiple(values: readonly PyValue[]): bigint {
  return values.map(wantInt).reduce((result, value) => {
    if (result === 0n || value === 0n) return 0n;
    const multiple = (result / greatestDivisor(result, value)) * value;
    spendBytes(bitLength(multiple) / 8);
    return multiple < 0n ? -multiple : multiple;
  }, 1n);
}

const REST = { rest: true } as const;

/** The module `math`. */
export const MATH_MODULE = new PyModule(
  "math",
  new Map<string, PyValue>([
    ["pi", Math.PI],
    ["e", Math.E],
    ["tau", Math.PI * 2],
    ["inf", Infinity],
    ["nan", Number.NaN],
    ...(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "expm1"] as const).map(
      (name) => ofFloats(name, 1, Math[name]),
    ),
    ...(["log1p", "sin", "sinh", "sqrt", "tan", "tanh"] as const).map((name) => ofFloats(name, 1, Math[name])),
    ofFloats("atan2", 2, Math.atan2),
    ofFloats("exp2", 1, (x) => 2 ** x),
    ofFloats("fabs", 1, Math.abs),
    ofFloats("pow", 2, (x, y) => {
      if (x === 0 && y < 0) return Number.NaN;
      return POWER.floats?.(x, y) ?? Number.NaN;
    }),
    ofFloats("fmod", 2, (x, y) => x % y),
    ofFloats("remainder", 2, remainder),
    ofFloats("copysign", 2, (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
    ofFloats("degrees", 1, (x) => x * (180 / Math.PI)),
    ofFloats("radians", 1, (x) => x * (Math.PI / 180)),
    test("isnan", Number.isNaN),
    test("isfinite", Number.isFinite),
    test("isinf", (value) => value === Infinity || value === -Infinity),
    entry("floor", "x", ([value = null]) => floor(value)),
    entry("ceil", "x", ([value = null]) => ceil(value)),
    entry("trunc", "x", ([value = null]) => wholeOf("trunc", value)),
    entryWith("log", { required: ["x"], optional: [["base", null]], positionalOnly: true }, logarithm),
    entry("log2", "x", ([x]) => logOf(x, Math.log2)),
    entry("log10", "x", ([x]) => logOf(x, Math.log10)),
    entry("factorial", "x", factorial),
    entry("comb", "n k", choose),
    entry("perm", "n", permute, { k: null }),
    entry("isqrt", "n", ([n]) => wholeRoot(wantInt(n))),
    entryWith("gcd", REST, (args) => args.map(wantInt).reduce(greatestDivisor, 0n)),
    entryWith("lcm", REST, leastMultiple),
    entryWith("hypot", REST, (args) => Math.hypot(...args.map(wantFloat))),
    entry("dist", "p q", ([p = null, q = null]) => {
      const [from, to] = [itemsOf(p).map(wantFloat), itemsOf(q).map(wantFloat)];
      if (from.length !== to.length) throw valueError("both points must have the same number of dimensions");
      return Math.hypot(...from.map((value, index) => value - (to[index] ?? 0)));
    }),
    entryWith(
      "isclose",
      {
        required: ["a", "b"],
        optional: [
          ["rel_tol", 1e-9],
          ["abs_tol", 0],
        ],
      },
      isClose,
    ),
    entry("fsum", "seq", exactSum),
    entryWith("prod", { required: ["iterable"], optional: [["start", 1n]] }, ([values = null, start = null]) =>
      itemsOf(values).reduce((product, value) => BINARY["*"](product, value), start),
    ),
    entry("modf", "x", ([x]) => {
      const float = wantFloat(x);
      const wholePart = Math.trunc(float);
      const rest = Number.isFinite(float) ? float - wholePart : Number.isNaN(float) ? float : 0;
      return new PyTuple([rest === 0 && (float < 0 || Object.is(float, -0)) ? -0 : rest, wholePart]);
    }),
    entry("frexp", "x", splitExponent),
    entry("nextafter", "x y", ([x, y]) => nextFloat(wantFloat(x), wantFloat(y))),
    entry("ulp", "x", ([x]) => {
      const size = Math.abs(wantFloat(x));
      if (!Number.isFinite(size)) return size;
      if (size === Number.MAX_VALUE) return size - nextFloat(size, 0);
      return nextFloat(size, Infinity) - size;
    }),
    entry("ldexp", "x i", ([x, i]) => {
      const [float, exponent] = [wantFloat(x), wantInt(i)];
      if (!Number.isFinite(float) || float === 0) return float;
      const result = float * 2 ** Number(exponent);
      if (!Number.isFinite(result)) throw overflowError("math range error");
      return result;
    }),
  ]),
  "erf erfc gamma lgamma",
);

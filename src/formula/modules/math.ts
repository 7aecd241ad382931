import { POWER } from "../runtime/numbers/arithmetic.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { classOf, PyClass } from "../runtime/classes/classes.ts";
import { overflowError, type PyError, typeError, valueError } from "../runtime/errors.ts";
import { PyInstance } from "../runtime/classes/instances.ts";
import { BINARY } from "../runtime/operators.ts";
import { bitLength, floatToInt, integerSquareRoot, decomposeFloat } from "../runtime/numbers/numbers.ts";
import { addRatios, greatestCommonDivisor, type Ratio, ratioOf, ratioToFloat } from "../runtime/numbers/ratios.ts";
import { requireFloat, requireInt } from "../runtime/signature.ts";
import { itemsOf, numberOf, PyFunction, PyObject, PyTuple, type PyValue, typeName } from "../runtime/values.ts";
import { moduleFunction, moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

const domainError = (): PyError => valueError("math domain error");

/**
 * Defines a function of floats: a NaN result of non-NaN arguments and an infinite result of finite arguments are
 * errors.
 */
function floatFunction(name: string, count: number, compute: (...values: number[]) => number): [string, PyValue] {
  const names = ["x", "y", "z"].slice(0, count);
  return moduleFunctionWith(name, { required: names, positionalOnly: true }, (args) => {
    const values = args.map(requireFloat);
    // The hyperbolic tangent never reaches 1.
    if (name === "atanh" && Math.abs(values[0] ?? 0) === 1) throw domainError();
    const result = compute(...values);
    if (Number.isNaN(result) && !values.some(Number.isNaN)) throw domainError();
    if (!Number.isFinite(result) && values.every(Number.isFinite)) throw overflowError("math range error");
    return result;
  });
}

/** Defines a predicate of a float. */
const floatPredicate = (name: string, holds: (value: number) => boolean): [string, PyValue] =>
  moduleFunction(name, "x", ([x]) => holds(requireFloat(x)));

type Whole = "floor" | "ceil" | "trunc";

/** Returns `math.floor(value)`. */
export const floor = (value: PyValue): PyValue => roundToInt("floor", value);

/** Returns `math.ceil(value)`. */
export const ceil = (value: PyValue): PyValue => roundToInt("ceil", value);

/** Rounds a number to an int. Types may define their own method; others are converted to floats. */
function roundToInt(name: Whole, value: PyValue): PyValue {
  const number = numberOf(value);
  if (typeof number === "bigint") return number;
  const ownResult = value instanceof PyObject ? callRoundingMethod(name, value) : undefined;
  if (ownResult !== undefined) return ownResult;
  if (name === "trunc" && number === undefined) {
    throw typeError(`type ${typeName(value)} doesn't define __trunc__ method`);
  }
  return floatToInt(Math[name](requireFloat(value)));
}

function callRoundingMethod(name: Whole, value: PyObject): PyValue | undefined {
  if (value instanceof PyInstance) return value.callSpecial(`__${name}__`);
  const cls = classOf(value);
  const method = cls instanceof PyClass ? cls.lookUp(`__${name}__`) : undefined;
  if (method instanceof PyFunction) return method.call([value], new Map());
  // Only fractions and decimals have an exact `//`; records and texts in cells of another type have `int()` alone.
  const exact = value.binary("//", 1n, false) === undefined ? undefined : value.toInt();
  if (exact === undefined || name === "trunc") return exact;
  const below = numberOf(BINARY["//"](value, 1n));
  const floorOrExact = typeof below === "bigint" ? below : exact;
  return name === "floor" || value.equals(floorOrExact) ? floorOrExact : floorOrExact + 1n;
}

function logarithm([value = null, base = null]: readonly PyValue[]): number {
  const result = logOf(value, Math.log);
  return base === null ? result : (BINARY["/"](result, logOf(base, Math.log)) as number);
}

/** Computes a logarithm, also of ints beyond the range of floats. */
function logOf(value: PyValue | undefined, log: (value: number) => number): number {
  const number = numberOf(value ?? null);
  if (typeof number === "bigint" && number > 0n && bitLength(number) > 1000) {
    const shift = bitLength(number) - 64;
    return log(Number(number >> BigInt(shift))) + shift * log(2);
  }
  const float = requireFloat(value);
  if (float <= 0) throw domainError();
  return log(float);
}

function factorial([value = null]: readonly PyValue[]): bigint {
  const number = requireInt(value);
  if (number < 0n) throw valueError("factorial() not defined for negative values");
  return productOf(1n, number);
}

/** Returns the product of all ints from `first` to `last`. */
function productOf(first: bigint, last: bigint): bigint {
  let result = 1n;
  for (let factor = first; factor <= last; factor++) result = BINARY["*"](result, factor) as bigint;
  return result;
}

function combinations([n, k]: readonly PyValue[]): bigint {
  const from = requireInt(n);
  const count = requireInt(k);
  if (from < 0n || count < 0n) throw valueError("n and k must be non-negative integers");
  if (count > from) return 0n;
  const smallerCount = count > from - count ? from - count : count;
  let result = 1n;
  for (let index = 1n; index <= smallerCount; index++) {
    result = (BINARY["*"](result, from - smallerCount + index) as bigint) / index;
  }
  return result;
}

function permutations([n, k = null]: readonly PyValue[]): bigint {
  const from = requireInt(n);
  const count = k === null ? from : requireInt(k);
  if (from < 0n || count < 0n) throw valueError("n and k must be non-negative integers");
  return count > from ? 0n : productOf(from - count + 1n, from);
}

/** Returns `math.isqrt(value)`. */
function integerSquareRootOf(value: bigint): bigint {
  if (value < 0n) throw valueError("isqrt() argument must be nonnegative");
  return integerSquareRoot(value);
}

const bits = new DataView(new ArrayBuffer(8));

/** Returns the float adjacent to `from` in the direction of `to`. */
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
  const [left, right] = [requireFloat(a), requireFloat(b)];
  if (requireFloat(relative) < 0 || requireFloat(absolute) < 0) throw valueError("tolerances must be non-negative");
  if (left === right) return true;
  if (!Number.isFinite(left) || !Number.isFinite(right)) return false;
  const difference = Math.abs(left - right);
  const scale = requireFloat(relative) * Math.max(Math.abs(left), Math.abs(right));
  return difference <= Math.max(scale, requireFloat(absolute));
}

/** Returns the exact sum, rounded once. */
function exactSum([values = null]: readonly PyValue[]): number {
  const floats = itemsOf(values).map(requireFloat);
  const nonFinite = floats.filter((float) => !Number.isFinite(float));
  if (nonFinite.length > 0) return nonFinite.reduce((sum, float) => sum + float, 0);
  spendSteps(floats.length * 20);
  return ratioToFloat(
    floats.reduce<Ratio>((sum, float) => addRatios(sum, ratioOf(float)), { numerator: 0n, denominator: 1n }),
  );
}

function splitExponent([value]: readonly PyValue[]): PyTuple {
  const float = requireFloat(value);
  if (float === 0 || !Number.isFinite(float)) return new PyTuple([float, 0n]);
  const { mantissa, exponent } = decomposeFloat(Math.abs(float));
  const bits = bitLength(mantissa);
  const size = Number(mantissa) / 2 ** bits;
  return new PyTuple([float < 0 ? -size : size, BigInt(exponent + bits)]);
}

/** Returns `x - n*y` for the nearest int n. */
function remainder(x: number, y: number): number {
  if (!Number.isFinite(y)) return x;
  const reduced = Math.abs(x % y);
  const size = Math.abs(y);
  const quotientIsOdd = Math.floor(Math.abs((x - (x % y)) / y)) % 2 === 1;
  const isBeyond = reduced > size - reduced || (reduced === size - reduced && quotientIsOdd);
  const result = isBeyond ? reduced - size : reduced;
  return x < 0 ? -result : result;
}

function leastCommonMultiple(values: readonly PyValue[]): bigint {
  return values.map(requireInt).reduce((result, value) => {
    if (result === 0n || value === 0n) return 0n;
    const multiple = (result / greatestCommonDivisor(result, value)) * value;
    spendBytes(bitLength(multiple) / 8);
    return multiple < 0n ? -multiple : multiple;
  }, 1n);
}

const REST = { rest: true } as const;

export const MATH_MODULE = new PyModule(
  "math",
  new Map<string, PyValue>([
    ["pi", Math.PI],
    ["e", Math.E],
    ["tau", Math.PI * 2],
    ["inf", Infinity],
    ["nan", Number.NaN],
    ...(["acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "exp", "expm1"] as const).map(
      (name) => floatFunction(name, 1, Math[name]),
    ),
    ...(["log1p", "sin", "sinh", "sqrt", "tan", "tanh"] as const).map((name) => floatFunction(name, 1, Math[name])),
    floatFunction("atan2", 2, Math.atan2),
    floatFunction("exp2", 1, (x) => 2 ** x),
    floatFunction("fabs", 1, Math.abs),
    floatFunction("pow", 2, (x, y) => {
      if (x === 0 && y < 0) return Number.NaN;
      return POWER.floats?.(x, y) ?? Number.NaN;
    }),
    floatFunction("fmod", 2, (x, y) => x % y),
    floatFunction("remainder", 2, remainder),
    floatFunction("copysign", 2, (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))),
    floatFunction("degrees", 1, (x) => x * (180 / Math.PI)),
    floatFunction("radians", 1, (x) => x * (Math.PI / 180)),
    floatPredicate("isnan", Number.isNaN),
    floatPredicate("isfinite", Number.isFinite),
    floatPredicate("isinf", (value) => value === Infinity || value === -Infinity),
    moduleFunction("floor", "x", ([value = null]) => floor(value)),
    moduleFunction("ceil", "x", ([value = null]) => ceil(value)),
    moduleFunction("trunc", "x", ([value = null]) => roundToInt("trunc", value)),
    moduleFunctionWith("log", { required: ["x"], optional: [["base", null]], positionalOnly: true }, logarithm),
    moduleFunction("log2", "x", ([x]) => logOf(x, Math.log2)),
    moduleFunction("log10", "x", ([x]) => logOf(x, Math.log10)),
    moduleFunction("factorial", "x", factorial),
    moduleFunction("comb", "n k", combinations),
    moduleFunction("perm", "n", permutations, { k: null }),
    moduleFunction("isqrt", "n", ([n]) => integerSquareRootOf(requireInt(n))),
    moduleFunctionWith("gcd", REST, (args) => args.map(requireInt).reduce(greatestCommonDivisor, 0n)),
    moduleFunctionWith("lcm", REST, leastCommonMultiple),
    moduleFunctionWith("hypot", REST, (args) => Math.hypot(...args.map(requireFloat))),
    moduleFunction("dist", "p q", ([p = null, q = null]) => {
      const [from, to] = [itemsOf(p).map(requireFloat), itemsOf(q).map(requireFloat)];
      if (from.length !== to.length) throw valueError("both points must have the same number of dimensions");
      return Math.hypot(...from.map((value, index) => value - (to[index] ?? 0)));
    }),
    moduleFunctionWith(
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
    moduleFunction("fsum", "seq", exactSum),
    moduleFunctionWith("prod", { required: ["iterable"], optional: [["start", 1n]] }, ([values = null, start = null]) =>
      itemsOf(values).reduce((product, value) => BINARY["*"](product, value), start),
    ),
    moduleFunction("modf", "x", ([x]) => {
      const float = requireFloat(x);
      const wholePart = Math.trunc(float);
      const rest = Number.isFinite(float) ? float - wholePart : Number.isNaN(float) ? float : 0;
      return new PyTuple([rest === 0 && (float < 0 || Object.is(float, -0)) ? -0 : rest, wholePart]);
    }),
    moduleFunction("frexp", "x", splitExponent),
    moduleFunction("nextafter", "x y", ([x, y]) => nextFloat(requireFloat(x), requireFloat(y))),
    moduleFunction("ulp", "x", ([x]) => {
      const size = Math.abs(requireFloat(x));
      if (!Number.isFinite(size)) return size;
      if (size === Number.MAX_VALUE) return size - nextFloat(size, 0);
      return nextFloat(size, Infinity) - size;
    }),
    moduleFunction("ldexp", "x i", ([x, i]) => {
      const [float, exponent] = [requireFloat(x), requireInt(i)];
      if (!Number.isFinite(float) || float === 0) return float;
      const result = float * 2 ** Number(exponent);
      if (!Number.isFinite(result)) throw overflowError("math range error");
      return result;
    }),
  ]),
  "erf erfc gamma lgamma",
);

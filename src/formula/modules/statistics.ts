import { spendBytes } from "../runtime/budget.ts";
import { PyError, typeError } from "../runtime/errors.ts";
import { exceptionClass } from "../runtime/classes/exceptions.ts";
import { FRACTION_CLASS, PyFraction } from "../runtime/numbers/fractions.ts";
import { add, BINARY } from "../runtime/operators.ts";
import {
  addRatios,
  divideRatios,
  multiplyRatios,
  type Ratio,
  ratioOf,
  ratioToFloat,
  squareRootOfRatio,
  subtractRatios,
} from "../runtime/numbers/ratios.ts";
import { decimalOfRatio, PyDecimal } from "../decimals/decimal.ts";
import { squareRootOfDecimal } from "../decimals/decimal.ts";
import { PyCounter } from "../runtime/collections/counters.ts";
import { sortValues } from "../runtime/sorting.ts";
import { requireFloat, requireInt } from "../runtime/signature.ts";
import { itemsOf, numberOf, PyList, type PyValue, isTruthy, typeName } from "../runtime/values.ts";
import { moduleFunction } from "./module-function.ts";
import { makeNamedTuple } from "./named-tuples.ts";
import { PyModule } from "./module.ts";

const statisticsError = (message: string): PyError => new PyError("StatisticsError", message);

/** Numbers as exact fractions, and the number type of the result. */
interface Data {
  readonly ratios: readonly Ratio[];
  readonly kind: "int" | "float" | "fraction" | "decimal";
}

function readData(values: PyValue | undefined, minCount: number, what: string): Data {
  const items = itemsOf(values ?? null);
  if (items.length < minCount)
    throw statisticsError(`${what} requires at least ${minCount === 1 ? "one data point" : "two data points"}`);
  const isFloat = items.some((item) => typeof item === "number");
  const isFraction = items.some((item) => item instanceof PyFraction);
  const ratios = items.map((item) => {
    const number = numberOf(item);
    if (item instanceof PyFraction) return item.ratio;
    if (item instanceof PyDecimal) return item.ratio;
    if (number === undefined) throw typeError(`can't convert type '${typeName(item)}' to numerator/denominator`);
    return ratioOf(number);
  });
  const isDecimal = items.some((item) => item instanceof PyDecimal);
  return { ratios, kind: isFloat ? "float" : isFraction ? "fraction" : isDecimal ? "decimal" : "int" };
}

function toResult(value: Ratio, kind: Data["kind"]): PyValue {
  if (kind === "fraction") return new PyFraction(value);
  if (kind === "decimal") return decimalOfRatio(value);
  return kind === "int" && value.denominator === 1n ? value.numerator : ratioToFloat(value);
}

const integerRatio = (count: number): Ratio => ({ numerator: BigInt(count), denominator: 1n });

const meanOf = (values: readonly Ratio[]): Ratio =>
  divideRatios(values.reduce(addRatios, integerRatio(0)), integerRatio(values.length));

/** Returns the sum of squared deviations from the mean, divided by the count less the lost degrees of freedom. */
function varianceOf(values: readonly Ratio[], degreesOfFreedomLost: number, center: PyValue): Ratio {
  const [knownMean] = center === null ? [] : readData(new PyList([center]), 1, "variance").ratios;
  const mean = knownMean ?? meanOf(values);
  const squares = values.map((value) => {
    const distance = subtractRatios(value, mean);
    return multiplyRatios(distance, distance);
  });
  return divideRatios(squares.reduce(addRatios, integerRatio(0)), integerRatio(values.length - degreesOfFreedomLost));
}

const CENTER = { center: null };

/** Defines a variance function that accepts a precomputed mean. */
const variance = (name: string, degreesOfFreedomLost: number): [string, PyValue] =>
  moduleFunction(
    name,
    "data",
    ([values, center = null]) => {
      const { ratios, kind } = readData(values, 1 + degreesOfFreedomLost, name);
      return toResult(varianceOf(ratios, degreesOfFreedomLost, center), kind);
    },
    CENTER,
  );

const deviation = (name: string, degreesOfFreedomLost: number): [string, PyValue] =>
  moduleFunction(
    name,
    "data",
    ([values, center = null]) => {
      const { ratios, kind } = readData(values, 1 + degreesOfFreedomLost, name);
      const result = varianceOf(ratios, degreesOfFreedomLost, center);
      return kind === "decimal" ? squareRootOfDecimal(result) : squareRootOfRatio(result);
    },
    CENTER,
  );

function median(values: PyValue | undefined, how: "low" | "high" | "middle"): PyValue {
  const sorted = sortValues(itemsOf(values ?? null), false);
  if (sorted.length === 0) throw statisticsError("no median for empty data");
  const high = sorted[Math.floor(sorted.length / 2)] ?? null;
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
  if (how !== "middle") return how === "low" ? low : high;
  return sorted.length % 2 === 1 ? high : BINARY["/"](add(low, high), 2n);
}

function modes(values: PyValue | undefined): PyValue[] {
  const counter = new PyCounter();
  counter.addCounts(values ?? null);
  const [mostCommon] = counter.mostCommon();
  return counter
    .entries()
    .filter(([, count]) => count === mostCommon?.[1])
    .map(([value]) => value);
}

function quantiles([values, n = 4n, method = "exclusive"]: readonly PyValue[]): PyList {
  const parts = Number(requireInt(n));
  if (parts < 1) throw statisticsError("n must be at least 1");
  const data = sortValues(itemsOf(values ?? null), false);
  if (data.length < 2) throw statisticsError("must have at least two data points");
  const inclusive = method === "inclusive";
  const span = inclusive ? data.length - 1 : data.length + 1;
  const cuts: PyValue[] = [];
  for (let index = 1; index < parts; index++) {
    spendBytes(16);
    const position = Math.floor((index * span) / parts);
    const at = inclusive ? position : Math.min(Math.max(position, 1), data.length - 1);
    const delta = index * span - at * parts;
    const low = data[inclusive ? at : at - 1] ?? null;
    const high = data[inclusive ? at + 1 : at] ?? null;
    const sum = add(BINARY["*"](low, BigInt(parts - delta)), BINARY["*"](high, BigInt(delta)));
    cuts.push(BINARY["/"](sum, BigInt(parts)));
  }
  return new PyList(cuts);
}

/** Returns the sum of floats, rounded once. */
function exactSum(floats: readonly number[]): number {
  const nonFinite = floats.filter((float) => !Number.isFinite(float));
  if (nonFinite.length > 0) return nonFinite.reduce((sum, float) => sum + float, 0);
  return ratioToFloat(floats.map(ratioOf).reduce(addRatios, integerRatio(0)));
}

function floatMean([values, weights = null]: readonly PyValue[]): number {
  const floats = itemsOf(values ?? null).map(requireFloat);
  if (floats.length === 0) throw statisticsError("fmean requires at least one data point");
  if (weights === null) return exactSum(floats) / floats.length;
  const factors = itemsOf(weights).map(requireFloat);
  if (factors.length !== floats.length) throw statisticsError("data and weights must be the same length");
  const total = exactSum(factors);
  if (total === 0) throw statisticsError("sum of weights must be non-zero");
  return exactSum(floats.map((float, index) => float * (factors[index] ?? 0))) / total;
}

function harmonicMean([values, weights = null]: readonly PyValue[]): PyValue {
  const { ratios, kind } = readData(values, 1, "harmonic_mean");
  const factors = weights === null ? ratios.map(() => integerRatio(1)) : readData(weights, 1, "harmonic_mean").ratios;
  if (factors.length !== ratios.length) throw statisticsError("Number of weights does not match data size");
  if (ratios.some(({ numerator }) => numerator < 0n))
    throw statisticsError("harmonic mean does not support negative values");
  if (ratios.some(({ numerator }) => numerator === 0n)) return 0n;
  const sum = ratios
    .map((value, index) => divideRatios(factors[index] ?? integerRatio(1), value))
    .reduce(addRatios, integerRatio(0));
  return toResult(divideRatios(factors.reduce(addRatios, integerRatio(0)), sum), kind);
}

function medianGrouped([values, interval = 1n]: readonly PyValue[]): PyValue {
  const data = sortValues(itemsOf(values ?? null), false);
  const { length } = data;
  if (length === 0) throw statisticsError("no median for empty data");
  const middle = requireFloat(data[Math.floor(length / 2)] ?? null);
  const width = requireFloat(interval);
  const before = data.filter((value) => requireFloat(value) < middle).length;
  const same = data.filter((value) => requireFloat(value) === middle).length;
  return middle - width / 2 + (width * (length / 2 - before)) / same;
}

interface Pairs {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

function readPairs(x: PyValue | undefined, y: PyValue | undefined, what: string): Pairs {
  const pairs = { x: itemsOf(x ?? null).map(requireFloat), y: itemsOf(y ?? null).map(requireFloat) };
  if (pairs.x.length !== pairs.y.length)
    throw statisticsError(`${what} requires that both inputs have same number of data points`);
  if (pairs.x.length < 2) throw statisticsError(`${what} requires at least two data points`);
  return pairs;
}

/** Returns sums of products of deviations from the means. */
function distances({ x, y }: Pairs): { xx: number; xy: number; yy: number; meanX: number; meanY: number } {
  const [meanX, meanY] = [exactSum(x) / x.length, exactSum(y) / y.length];
  const sum = (one: readonly number[], other: readonly number[], a: number, b: number): number =>
    exactSum(one.map((value, index) => (value - a) * ((other[index] ?? 0) - b)));
  return { xx: sum(x, x, meanX, meanX), xy: sum(x, y, meanX, meanY), yy: sum(y, y, meanY, meanY), meanX, meanY };
}

const covariance = (pairs: Pairs): number => distances(pairs).xy / (pairs.x.length - 1);

function correlation(pairs: Pairs): number {
  const { xx, xy, yy } = distances(pairs);
  if (xx === 0 || yy === 0) throw statisticsError("at least one of the inputs is constant");
  return xy / Math.sqrt(xx * yy);
}

const REGRESSION = makeNamedTuple(["LinearRegression", "slope intercept"]);

function regression([x, y, proportional = null]: readonly PyValue[]): PyValue {
  const pairs = readPairs(x, y, "linear regression");
  const { xx, xy, meanX, meanY } = distances(pairs);
  if (isTruthy(proportional)) {
    const product = exactSum(pairs.x.map((value, index) => value * (pairs.y[index] ?? 0)));
    return REGRESSION.instantiate([product / exactSum(pairs.x.map((value) => value * value)), 0], new Map());
  }
  if (xx === 0) throw statisticsError("x is constant");
  const slope = xy / xx;
  return REGRESSION.instantiate([slope, meanY - slope * meanX], new Map());
}

export const STATISTICS_MODULE = new PyModule(
  "statistics",
  new Map<string, PyValue>([
    moduleFunction("mean", "data", ([values]) => {
      const { ratios, kind } = readData(values, 1, "mean");
      return toResult(meanOf(ratios), kind);
    }),
    moduleFunction("fmean", "data", floatMean, { weights: null }),
    moduleFunction("harmonic_mean", "data", harmonicMean, { weights: null }),
    moduleFunction("median_grouped", "data", medianGrouped, { interval: 1n }),
    moduleFunction("correlation", "x y", ([x, y]) => correlation(readPairs(x, y, "correlation"))),
    moduleFunction("covariance", "x y", ([x, y]) => covariance(readPairs(x, y, "covariance"))),
    moduleFunction("linear_regression", "x y", regression, { proportional: false }),
    moduleFunction("median", "data", ([values]) => median(values, "middle")),
    moduleFunction("median_low", "data", ([values]) => median(values, "low")),
    moduleFunction("median_high", "data", ([values]) => median(values, "high")),
    moduleFunction("mode", "data", ([values]) => {
      const [first] = modes(values);
      if (first === undefined) throw statisticsError("no mode for empty data");
      return first;
    }),
    moduleFunction("multimode", "data", ([values]) => new PyList(modes(values))),
    moduleFunction("quantiles", "data", quantiles, { n: 4n, method: "exclusive" }),
    variance("variance", 1),
    variance("pvariance", 0),
    deviation("stdev", 1),
    deviation("pstdev", 0),
    moduleFunction("geometric_mean", "data", ([values]) => {
      const floats = itemsOf(values ?? null).map(requireFloat);
      if (floats.length === 0) throw statisticsError("Must have a non-empty dataset");
      if (floats.some((float) => float <= 0))
        throw statisticsError("geometric mean requires a non-empty dataset containing positive numbers");
      return Math.exp(exactSum(floats.map(Math.log)) / floats.length);
    }),
    ["StatisticsError", exceptionClass("StatisticsError", ["ValueError"], "statistics")],
  ]),
  "NormalDist",
);

export const FRACTIONS_MODULE = new PyModule(
  "fractions",
  new Map<string, PyValue>([["Fraction", FRACTION_CLASS]]),
  "Decimal gcd",
);

import { spendBytes } from "../budget.ts";
import { PyError, typeError } from "../errors.ts";
import { exceptionClass } from "../exceptions.ts";
import { FRACTION_CLASS, PyFraction } from "../fractions.ts";
import { add, BINARY } from "../operators.ts";
import {
  addRatios,
  divideRatios,
  multiplyRatios,
  type Ratio,
  ratioOf,
  ratioToFloat,
  rootOfRatio,
  subtractRatios,
} from "../ratios.ts";
import { decimalOfRatio, PyDecimal } from "../decimals/decimal.ts";
import { rootOfDecimal } from "../decimals/decimal.ts";
import { PyCounter } from "../counters.ts";
import { sortValues } from "../sorting.ts";
import { wantFloat, wantInt } from "../signature.ts";
import { itemsOf, numberOf, PyList, type PyValue, truth, typeName } from "../values.ts";
import { entry } from "./define.ts";
import { makeNamedTuple } from "./named-tuples.ts";
import { PyModule } from "./module.ts";

const failure = (message: string): PyError => new PyError("StatisticsError", message);

/** Numbers as exact fractions, and what kind of number the result is to be. */
interface Data {
  readonly ratios: readonly Ratio[];
  readonly kind: "int" | "float" | "fraction" | "decimal";
}

function readData(values: PyValue | undefined, least: number, what: string): Data {
  const items = itemsOf(values ?? null);
  if (items.length < least)
    throw failure(`${what} requires at least ${least === 1 ? "one data point" : "two data points"}`);
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

function write(value: Ratio, kind: Data["kind"]): PyValue {
  if (kind === "fraction") return new PyFraction(value);
  if (kind === "decimal") return decimalOfRatio(value);
  return kind === "int" && value.under === 1n ? value.over : ratioToFloat(value);
}

const whole = (count: number): Ratio => ({ over: BigInt(count), under: 1n });

const meanOf = (values: readonly Ratio[]): Ratio =>
  divideRatios(values.reduce(addRatios, whole(0)), whole(values.length));

/** The sum of squared distances from the mean, by the count or one less. */
function varianceOf(values: readonly Ratio[], less: number, center: PyValue): Ratio {
  const [given] = center === null ? [] : readData(new PyList([center]), 1, "variance").ratios;
  const mean = given ?? meanOf(values);
  const squares = values.map((value) => {
    const distance = subtractRatios(value, mean);
    return multiplyRatios(distance, distance);
  });
  return divideRatios(squares.reduce(addRatios, whole(0)), whole(values.length - less));
}

const CENTER = { center: null };

/** With the mean where it is known already. */
const variance = (name: string, less: number): [string, PyValue] =>
  entry(
    name,
    "data",
    ([values, center = null]) => {
      const { ratios, kind } = readData(values, 1 + less, name);
      return write(varianceOf(ratios, less, center), kind);
    },
    CENTER,
  );

const deviation = (name: string, less: number): [string, PyValue] =>
  entry(
    name,
    "data",
    ([values, center = null]) => {
      const { ratios, kind } = readData(values, 1 + less, name);
      const result = varianceOf(ratios, less, center);
      return kind === "decimal" ? rootOfDecimal(result) : rootOfRatio(result);
    },
    CENTER,
  );

function median(values: PyValue | undefined, how: "low" | "high" | "middle"): PyValue {
  const sorted = sortValues(itemsOf(values ?? null), false);
  if (sorted.length === 0) throw failure("no median for empty data");
  const high = sorted[Math.floor(sorted.length / 2)] ?? null;
  const low = sorted[Math.floor((sorted.length - 1) / 2)] ?? null;
  if (how !== "middle") return how === "low" ? low : high;
  return sorted.length % 2 === 1 ? high : BINARY["/"](add(low, high), 2n);
}

function modes(values: PyValue | undefined): PyValue[] {
  const counter = new PyCounter();
  counter.addCounts(values ?? null);
  const [most] = counter.mostCommon();
  return counter
    .entries()
    .filter(([, count]) => count === most?.[1])
    .map(([value]) => value);
}

function quantiles([values, n = 4n, method = "exclusive"]: readonly PyValue[]): PyList {
  const parts = Number(wantInt(n));
  if (parts < 1) throw failure("n must be at least 1");
  const data = sortValues(itemsOf(values ?? null), false);
  if (data.length < 2) throw failure("must have at least two data points");
  const inclusive = method === "inclusive";
  const span = inclusive ? data.length - 1 : data.length + 1;
  const cuts: PyValue[] = [];
  for (let index = 1; index < parts; index++) {
    spendBytes(16);
    const place = Math.floor((index * span) / parts);
    const at = inclusive ? place : Math.min(Math.max(place, 1), data.length - 1);
    const delta = index * span - at * parts;
    const low = data[inclusive ? at : at - 1] ?? null;
    const high = data[inclusive ? at + 1 : at] ?? null;
    const sum = add(BINARY["*"](low, BigInt(parts - delta)), BINARY["*"](high, BigInt(delta)));
    cuts.push(BINARY["/"](sum, BigInt(parts)));
  }
  return new PyList(cuts);
}

/** The sum of floats, rounded once. */
function exactSum(floats: readonly number[]): number {
  const odd = floats.filter((float) => !Number.isFinite(float));
  if (odd.length > 0) return odd.reduce((sum, float) => sum + float, 0);
  return ratioToFloat(floats.map(ratioOf).reduce(addRatios, whole(0)));
}

function floatMean([values, weights = null]: readonly PyValue[]): number {
  const floats = itemsOf(values ?? null).map(wantFloat);
  if (floats.length === 0) throw failure("fmean requires at least one data point");
  if (weights === null) return exactSum(floats) / floats.length;
  const factors = itemsOf(weights).map(wantFloat);
  if (factors.length !== floats.length) throw failure("data and weights must be the same length");
  const total = exactSum(factors);
  if (total === 0) throw failure("sum of weights must be non-zero");
  return exactSum(floats.map((float, index) => float * (factors[index] ?? 0))) / total;
}

function harmonicMean([values, weights = null]: readonly PyValue[]): PyValue {
  const { ratios, kind } = readData(values, 1, "harmonic_mean");
  const factors = weights === null ? ratios.map(() => whole(1)) : readData(weights, 1, "harmonic_mean").ratios;
  if (factors.length !== ratios.length) throw failure("Number of weights does not match data size");
  if (ratios.some(({ over }) => over < 0n)) throw failure("harmonic mean does not support negative values");
  if (ratios.some(({ over }) => over === 0n)) return 0n;
  const sum = ratios.map((value, index) => divideRatios(factors[index] ?? whole(1), value)).reduce(addRatios, whole(0));
  return write(divideRatios(factors.reduce(addRatios, whole(0)), sum), kind);
}

function medianGrouped([values, interval = 1n]: readonly PyValue[]): PyValue {
  const data = sortValues(itemsOf(values ?? null), false);
  const { length } = data;
  if (length === 0) throw failure("no median for empty data");
  const middle = wantFloat(data[Math.floor(length / 2)] ?? null);
  const width = wantFloat(interval);
  const before = data.filter((value) => wantFloat(value) < middle).length;
  const same = data.filter((value) => wantFloat(value) === middle).length;
  return middle - width / 2 + (width * (length / 2 - before)) / same;
}

interface Pairs {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

function readPairs(x: PyValue | undefined, y: PyValue | undefined, what: string): Pairs {
  const pairs = { x: itemsOf(x ?? null).map(wantFloat), y: itemsOf(y ?? null).map(wantFloat) };
  if (pairs.x.length !== pairs.y.length)
    throw failure(`${what} requires that both inputs have same number of data points`);
  if (pairs.x.length < 2) throw failure(`${what} requires at least two data points`);
  return pairs;
}

/** Sums of products of distances from the means. */
function distances({ x, y }: Pairs): { xx: number; xy: number; yy: number; meanX: number; meanY: number } {
  const [meanX, meanY] = [exactSum(x) / x.length, exactSum(y) / y.length];
  const sum = (one: readonly number[], other: readonly number[], a: number, b: number): number =>
    exactSum(one.map((value, index) => (value - a) * ((other[index] ?? 0) - b)));
  return { xx: sum(x, x, meanX, meanX), xy: sum(x, y, meanX, meanY), yy: sum(y, y, meanY, meanY), meanX, meanY };
}

const covariance = (pairs: Pairs): number => distances(pairs).xy / (pairs.x.length - 1);

function correlation(pairs: Pairs): number {
  const { xx, xy, yy } = distances(pairs);
  if (xx === 0 || yy === 0) throw failure("at least one of the inputs is constant");
  return xy / Math.sqrt(xx * yy);
}

const REGRESSION = makeNamedTuple(["LinearRegression", "slope intercept"]);

function regression([x, y, proportional = null]: readonly PyValue[]): PyValue {
  const pairs = readPairs(x, y, "linear regression");
  const { xx, xy, meanX, meanY } = distances(pairs);
  if (truth(proportional)) {
    const product = exactSum(pairs.x.map((value, index) => value * (pairs.y[index] ?? 0)));
    return REGRESSION.make([product / exactSum(pairs.x.map((value) => value * value)), 0], new Map());
  }
  if (xx === 0) throw failure("x is constant");
  const slope = xy / xx;
  return REGRESSION.make([slope, meanY - slope * meanX], new Map());
}

/** The module `statistics`. */
export const STATISTICS_MODULE = new PyModule(
  "statistics",
  new Map<string, PyValue>([
    entry("mean", "data", ([values]) => {
      const { ratios, kind } = readData(values, 1, "mean");
      return write(meanOf(ratios), kind);
    }),
    entry("fmean", "data", floatMean, { weights: null }),
    entry("harmonic_mean", "data", harmonicMean, { weights: null }),
    entry("median_grouped", "data", medianGrouped, { interval: 1n }),
    entry("correlation", "x y", ([x, y]) => correlation(readPairs(x, y, "correlation"))),
    entry("covariance", "x y", ([x, y]) => covariance(readPairs(x, y, "covariance"))),
    entry("linear_regression", "x y", regression, { proportional: false }),
    entry("median", "data", ([values]) => median(values, "middle")),
    entry("median_low", "data", ([values]) => median(values, "low")),
    entry("median_high", "data", ([values]) => median(values, "high")),
    entry("mode", "data", ([values]) => {
      const [first] = modes(values);
      if (first === undefined) throw failure("no mode for empty data");
      return first;
    }),
    entry("multimode", "data", ([values]) => new PyList(modes(values))),
    entry("quantiles", "data", quantiles, { n: 4n, method: "exclusive" }),
    variance("variance", 1),
    variance("pvariance", 0),
    deviation("stdev", 1),
    deviation("pstdev", 0),
    entry("geometric_mean", "data", ([values]) => {
      const floats = itemsOf(values ?? null).map(wantFloat);
      if (floats.length === 0) throw failure("Must have a non-empty dataset");
      if (floats.some((float) => float <= 0))
        throw failure("geometric mean requires a non-empty dataset containing positive numbers");
      return Math.exp(exactSum(floats.map(Math.log)) / floats.length);
    }),
    ["StatisticsError", exceptionClass("StatisticsError", ["ValueError"], "statistics")],
  ]),
  "NormalDist",
);

/** The module `fractions`. */
export const FRACTIONS_MODULE = new PyModule(
  "fractions",
  new Map<string, PyValue>([["Fraction", FRACTION_CLASS]]),
  "Decimal gcd",
);

import { notSupported, PyError, typeError } from "../errors.ts";
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
  subtractRatios,
} from "../ratios.ts";
import { DECIMAL_CLASS, PyDecimal, ROUNDING_NAMES } from "../decimals.ts";
import { PyCounter } from "../counters.ts";
import { sortValues } from "../sorting.ts";
import { wantInt } from "../signature.ts";
import { itemsOf, numberOf, PyList, type PyValue, typeName } from "../values.ts";
import { entry } from "./define.ts";
import { wantFloat } from "./math.ts";
import { PyModule } from "./module.ts";

const failure = (message: string): PyError => new PyError("StatisticsError", message);

/** Numbers as exact fractions, and what kind of number the result is to be. */
interface Data {
  readonly ratios: readonly Ratio[];
  readonly kind: "int" | "float" | "fraction";
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
    if (item instanceof PyDecimal) throw notSupported("statistics of decimals");
    if (number === undefined) throw typeError(`can't convert type '${typeName(item)}' to numerator/denominator`);
    return ratioOf(number);
  });
  return { ratios, kind: isFloat ? "float" : isFraction ? "fraction" : "int" };
}

function write(value: Ratio, kind: Data["kind"]): PyValue {
  if (kind === "fraction") return new PyFraction(value);
  return kind === "int" && value.under === 1n ? value.over : ratioToFloat(value);
}

const whole = (count: number): Ratio => ({ over: BigInt(count), under: 1n });

const meanOf = (values: readonly Ratio[]): Ratio =>
  divideRatios(values.reduce(addRatios, whole(0)), whole(values.length));

/** The sum of squared distances from the mean, by the count or one less. */
function varianceOf(values: readonly Ratio[], less: number): Ratio {
  const mean = meanOf(values);
  const squares = values.map((value) => {
    const distance = subtractRatios(value, mean);
    return multiplyRatios(distance, distance);
  });
  return divideRatios(squares.reduce(addRatios, whole(0)), whole(values.length - less));
}

const variance = (name: string, less: number): [string, PyValue] =>
  entry(name, "data", ([values]) => {
    const { ratios, kind } = readData(values, 1 + less, name);
    return write(varianceOf(ratios, less), kind);
  });

const deviation = (name: string, less: number): [string, PyValue] =>
  entry(name, "data", ([values]) => Math.sqrt(ratioToFloat(varianceOf(readData(values, 1 + less, name).ratios, less))));

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

/** The module `statistics`. */
export const STATISTICS_MODULE = new PyModule(
  "statistics",
  new Map<string, PyValue>([
    entry("mean", "data", ([values]) => {
      const { ratios, kind } = readData(values, 1, "mean");
      return write(meanOf(ratios), kind);
    }),
    entry("fmean", "data", ([values]) => ratioToFloat(meanOf(readData(values, 1, "fmean").ratios))),
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
      return Math.exp(floats.reduce((sum, float) => sum + Math.log(float), 0) / floats.length);
    }),
    ["StatisticsError", exceptionClass("StatisticsError", "ValueError", "statistics")],
  ]),
  "NormalDist LinearRegression correlation covariance harmonic_mean linear_regression median_grouped",
);

/** The module `fractions`. */
export const FRACTIONS_MODULE = new PyModule(
  "fractions",
  new Map<string, PyValue>([["Fraction", FRACTION_CLASS]]),
  "Decimal gcd",
);

/** The module `decimal`, with the context that Python begins with. */
export const DECIMAL_MODULE = new PyModule(
  "decimal",
  new Map<string, PyValue>([
    ["Decimal", DECIMAL_CLASS],
    ...ROUNDING_NAMES.map((name) => [name, name] as const),
    ["InvalidOperation", exceptionClass("InvalidOperation", "ArithmeticError", "decimal")],
    ["DivisionByZero", exceptionClass("DivisionByZero", "ZeroDivisionError", "decimal")],
  ]),
  "BasicContext Clamped Context ConversionSyntax DecimalException DecimalTuple DefaultContext DivisionImpossible DivisionUndefined ExtendedContext FloatOperation Inexact InvalidContext Overflow ROUND_05UP Rounded Subnormal Underflow getcontext localcontext setcontext",
);

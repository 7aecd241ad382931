import { PyDate } from "../dates/date.ts";
import { PyDateTime } from "../dates/datetime.ts";
import { typeError, valueError, zeroDivision } from "../runtime/errors.ts";
import { add, BINARY, isLess } from "../runtime/operators.ts";
import { defineFunction, requireFloat } from "../runtime/signature.ts";
import { sortValues } from "../runtime/sorting.ts";
import { itemsOf, numberOf, type PyFunction, type PyValue, typeName } from "../runtime/values.ts";
import { elementsOf, flatten, isNumber } from "./arguments.ts";

/**
 * Statistics of all arguments and of elements of collections. Functions that end in A count bools as 0 and 1 and all
 * other non-numbers as 0; the others ignore them.
 */

const VALUES = { required: ["value"], rest: true } as const;

const numbersFunction = (name: string, compute: (numbers: readonly PyValue[]) => PyValue): PyFunction =>
  defineFunction(name, VALUES, (args) => compute(flatten(args).filter(isNumber)));

const allValuesFunction = (name: string, compute: (numbers: readonly PyValue[]) => PyValue): PyFunction =>
  defineFunction(name, VALUES, (args) => compute(flatten(args).map((value) => numberOf(value) ?? 0n)));

export const STATS_FUNCTIONS: readonly PyFunction[] = [
  /** AVERAGE(value, …) */
  numbersFunction("AVERAGE", mean),
  /** AVERAGEA(value, …) */
  allValuesFunction("AVERAGEA", mean),
  /** AVERAGE_WEIGHTED(pairs): the weighted average of (value, weight) pairs; pairs with a non-number are ignored. */
  defineFunction("AVERAGE_WEIGHTED", { required: ["pairs"] }, ([pairs = null]) => {
    const known = itemsOf(pairs)
      .map(readPair)
      .filter((pair) => pair.every(isNumber));
    const weighted = known.map(([value, weight]) => BINARY["*"](value, weight)).reduce(add, 0n);
    return BINARY["/"](weighted, known.map(([, weight]) => weight).reduce(add, 0n));
  }),
  /** COUNT(value, …): the count of numbers and dates. */
  defineFunction("COUNT", VALUES, (args) => BigInt(flatten(args).filter(isOrdered).length)),
  /** COUNTA(value, …): the count of all values; a text counts its characters. */
  defineFunction("COUNTA", VALUES, (args) => BigInt(flatten(args).length)),
  /** MAX(value, …): the maximum of numbers or dates; 0 if there are no values. */
  defineFunction("MAX", VALUES, (args) => extreme(args, (value, best) => isLess(best, value))),
  /** MAXA(value, …) */
  allValuesFunction("MAXA", (numbers) => firstBest(numbers, (value, other) => isLess(other, value))),
  /** MEDIAN(value, …): the middle value, or the mean of the two middle values. */
  numbersFunction("MEDIAN", median),
  /** MIN(value, …): the minimum of numbers or dates; 0 if there are no values. */
  defineFunction("MIN", VALUES, (args) => extreme(args, isLess)),
  /** MINA(value, …) */
  allValuesFunction("MINA", (numbers) => firstBest(numbers, isLess)),
  /** STDEV(value, …): of a sample. */
  numbersFunction("STDEV", (numbers) => standardDeviation(numbers, 1)),
  /** STDEVA(value, …) */
  allValuesFunction("STDEVA", (numbers) => standardDeviation(numbers, 1)),
  /** STDEVP(value, …): of a whole population. */
  numbersFunction("STDEVP", (numbers) => standardDeviation(numbers, 0)),
  /** STDEVPA(value, …) */
  allValuesFunction("STDEVPA", (numbers) => standardDeviation(numbers, 0)),
];

function mean(numbers: readonly PyValue[]): number {
  return requireFloat(BINARY["/"](numbers.reduce(add, 0n), BigInt(numbers.length)));
}

function readPair(pair: PyValue): [PyValue, PyValue] {
  const items = elementsOf(pair);
  if (!items) throw typeError(`cannot unpack non-iterable ${typeName(pair)} object`);
  const [value, weight, ...others] = items;
  if (value === undefined || weight === undefined || others.length > 0) {
    throw valueError("each pair must have a value and a weight");
  }
  return [value, weight];
}

const isOrdered = (value: PyValue): boolean => isNumber(value) || value instanceof PyDate;

type Better = (value: PyValue, best: PyValue) => boolean;

function firstBest(values: readonly PyValue[], better: Better): PyValue {
  return values.reduce((found, value) => (better(value, found) ? value : found), values[0] ?? 0n);
}

/** Returns the best of numbers and dates; dates and datetimes compare by timestamp, naive ones as UTC. */
function extreme(args: readonly PyValue[], better: Better): PyValue {
  return firstBest(flatten(args).filter(isOrdered), (value, other) => {
    if (!(value instanceof PyDate && other instanceof PyDate)) return better(value, other);
    return better(utcMicrosOf(value), utcMicrosOf(other));
  });
}

const utcMicrosOf = (value: PyDate): bigint =>
  value instanceof PyDateTime ? value.utcMicros : new PyDateTime({ day: value.day, micros: 0 }).utcMicros;

function median(numbers: readonly PyValue[]): PyValue {
  const sorted = sortValues(numbers, false);
  const middle = Math.floor(sorted.length / 2);
  const [before = null, after = null] = sorted.slice(Math.max(0, middle - 1));
  if (sorted.length === 0) throw valueError("there are no numbers");
  return sorted.length % 2 === 1 ? (sorted[middle] ?? null) : BINARY["/"](add(before, after), 2n);
}

/** Returns the root of the squared deviations divided by the count less the lost degrees of freedom. */
function standardDeviation(numbers: readonly PyValue[], degreesOfFreedomLost: number): number {
  const floats = numbers.map(requireFloat);
  if (floats.length <= degreesOfFreedomLost) throw zeroDivision("float division by zero");
  const center = requireFloat(mean(numbers));
  const squares = floats.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return Math.sqrt(squares / (floats.length - degreesOfFreedomLost));
}

import { createHash } from "node:crypto";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { PyBytes } from "../runtime/text/bytes.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { bitLength } from "../runtime/numbers/numbers.ts";
import { PySet } from "../runtime/collections/sets.ts";
import { defineFunction, requireFloat, requireIndex, requireInt } from "../runtime/signature.ts";
import { readIndex } from "../runtime/collections/slices.ts";
import { PyType } from "../runtime/classes/types.ts";
import { itemsOf, PyList, PyObject, pyLength, type PyValue } from "../runtime/values.ts";
import { hash } from "../builtins/objects.ts";
import { moduleFunction } from "./module-function.ts";
import { MersenneTwister } from "./mersenne-twister.ts";
import { PyModule } from "./module.ts";

/** A source of random bits. */
interface RandomSource {
  /** Returns a float in [0, 1). */
  random(): number;
  /** Returns 32 bits. */
  nextWord(): number;
}

/** Not reproducible. */
const UNSEEDED: RandomSource = {
  random: () => Math.random(),
  nextWord: () => Math.floor(Math.random() * 2 ** 32),
};

function randomBits(source: RandomSource, count: number): bigint {
  if (count < 0) throw valueError("number of bits must be non-negative");
  spendBytes(count);
  let value = 0n;
  for (let done = 0; done < count; done += 32) {
    const bits = Math.min(32, count - done);
    value |= BigInt(source.nextWord() >>> (32 - bits)) << BigInt(done);
  }
  return value;
}

/** Returns an int in [0, limit). */
function randomBelow(source: RandomSource, limit: bigint): bigint {
  const bits = bitLength(limit);
  for (;;) {
    spendSteps(1);
    const value = randomBits(source, bits);
    if (value < limit) return value;
  }
}

const indexBelow = (source: RandomSource, limit: number): number => Number(randomBelow(source, BigInt(limit)));

function randomRange(source: RandomSource, [first = null, second = null, step = 1n]: readonly PyValue[]): bigint {
  const [start, stop] = second === null ? [0n, requireInt(first)] : [requireInt(first), requireInt(second)];
  const by = requireInt(step);
  if (by === 0n) throw valueError("zero step for randrange()");
  const distance = by > 0n ? stop - start : start - stop;
  const size = by > 0n ? by : -by;
  if (distance <= 0n) throw valueError("empty range for randrange()");
  return start + by * randomBelow(source, (distance + size - 1n) / size);
}

function shuffled(source: RandomSource, values: readonly PyValue[]): PyValue[] {
  spendBytes(values.length * 8);
  spendSteps(values.length * 2);
  const items = [...values];
  for (let at = items.length - 1; at > 0; at--) {
    const other = indexBelow(source, at + 1);
    [items[at], items[other]] = [items[other] ?? null, items[at] ?? null];
  }
  return items;
}

/**
 * Returns `k` distinct elements. Small samples of large collections draw indices, others draw from a list of the
 * remaining elements.
 */
function sample(source: RandomSource, [values = null, k]: readonly PyValue[]): PyList {
  if (values instanceof PySet) throw typeError("Population must be a sequence.  For dicts or sets, use sorted(d).");
  const items = itemsOf(values);
  const count = requireIndex(k);
  if (count < 0 || count > items.length) throw valueError("Sample larger than population or is negative");
  spendBytes(items.length * 8);
  const maxListedPopulation = 21 + (count > 5 ? 4 ** Math.ceil(Math.log(count * 3) / Math.log(4)) : 0);
  if (items.length > maxListedPopulation) {
    const positions = new Set<number>();
    while (positions.size < count) positions.add(indexBelow(source, items.length));
    return new PyList(Array.from(positions, (position) => items[position] ?? null));
  }
  const left = [...items];
  const drawnItems: PyValue[] = [];
  for (let size = left.length; drawnItems.length < count; size--) {
    const position = indexBelow(source, size);
    drawnItems.push(left[position] ?? null);
    left[position] = left[size - 1] ?? null;
  }
  return new PyList(drawnItems);
}

function choices(
  source: RandomSource,
  [population = null, weights = null, cumulative = null, k = 1n]: readonly PyValue[],
): PyList {
  const items = itemsOf(population);
  const count = Math.max(0, requireIndex(k));
  if (items.length === 0) throw new PyError("IndexError", "list index out of range");
  spendBytes(count * 16);
  if (weights === null && cumulative === null) {
    const draw = (): PyValue => items[Math.floor(source.random() * items.length)] ?? null;
    return new PyList(Array.from({ length: count }, draw));
  }
  let total = 0;
  const sums =
    cumulative === null
      ? itemsOf(weights).map((weight) => (total += requireFloat(weight)))
      : itemsOf(cumulative).map(requireFloat);
  if (sums.length !== items.length) throw valueError("The number of weights does not match the population");
  const last = sums.at(-1) ?? 0;
  if (last <= 0) throw valueError("Total of weights must be greater than zero");
  const pick = (): PyValue => {
    const threshold = source.random() * last;
    return items[sums.findIndex((sum) => sum > threshold)] ?? null;
  };
  return new PyList(Array.from({ length: count }, pick));
}

/**
 * Returns `gauss()`: normally distributed numbers are generated in pairs, and the second one is saved for the next
 * call.
 */
function gaussGenerator(source: RandomSource): (args: readonly PyValue[]) => number {
  let spareValue: number | undefined;
  return ([mean, deviation]) => {
    let value = spareValue;
    spareValue = undefined;
    if (value === undefined) {
      const angle = source.random() * 2 * Math.PI;
      const size = Math.sqrt(-2 * Math.log(1 - source.random()));
      value = Math.cos(angle) * size;
      spareValue = Math.sin(angle) * size;
    }
    return requireFloat(mean) + value * requireFloat(deviation);
  };
}

/** Implements `normalvariate()` by the ratio-of-uniforms method. */
function normal(source: RandomSource, [mean, deviation]: readonly PyValue[]): number {
  const scale = (4 * Math.exp(-0.5)) / Math.sqrt(2);
  for (;;) {
    spendSteps(1);
    const numerator = source.random();
    const denominator = 1 - source.random();
    const value = (scale * (numerator - 0.5)) / denominator;
    if ((value * value) / 4 <= -Math.log(denominator)) return requireFloat(mean) + value * requireFloat(deviation);
  }
}

/** The functions of the module, which are methods of `Random` too. */
const randomFunctions = (source: RandomSource): [string, PyValue][] => [
  moduleFunction("random", "", () => source.random()),
  moduleFunction("randint", "a b", ([a = null, b = null]) => randomRange(source, [a, requireInt(b) + 1n])),
  moduleFunction("randrange", "start", (args) => randomRange(source, args), { stop: null, step: 1n }),
  moduleFunction("getrandbits", "k", ([k]) => randomBits(source, requireIndex(k))),
  moduleFunction("uniform", "a b", ([a, b]) => requireFloat(a) + (requireFloat(b) - requireFloat(a)) * source.random()),
  moduleFunction("choice", "seq", ([values = null]) => {
    const length = pyLength(values);
    if (length === 0) throw new PyError("IndexError", "Cannot choose from an empty sequence");
    return readIndex(values, randomBelow(source, BigInt(length)));
  }),
  moduleFunction("choices", "population", (args) => choices(source, args), { weights: null, cum_weights: null, k: 1n }),
  moduleFunction("sample", "population k", (args) => sample(source, args)),
  moduleFunction("shuffle", "x", ([list]) => {
    if (!(list instanceof PyList)) throw typeError("a list is needed");
    list.replaceItems(shuffled(source, list.items()));
    return null;
  }),
  moduleFunction("gauss", "", gaussGenerator(source), { mu: 0, sigma: 1 }),
  moduleFunction("normalvariate", "", (args) => normal(source, args), { mu: 0, sigma: 1 }),
  moduleFunction("expovariate", "lambd", ([rate]) => -Math.log(1 - source.random()) / requireFloat(rate)),
];

/** `random.Random`, a seeded generator. */
class PyRandom extends PyObject {
  readonly typeName = "Random";
  #functions: ReadonlyMap<string, PyValue>;

  constructor(seed: PyValue) {
    super();
    this.#functions = seeded(seed);
  }

  override get type(): PyType {
    return RANDOM_TYPE;
  }

  override attribute(name: string): PyValue | undefined {
    if (name !== "seed") return this.#functions.get(name);
    return defineFunction(name, { optional: [["a", null]] }, ([seed = null]) => {
      this.#functions = seeded(seed);
      return null;
    });
  }

  repr(): string {
    return "<random.Random object at 0x7f0000000000>";
  }
}

function seeded(seed: PyValue): ReadonlyMap<string, PyValue> {
  if (seed === null) return new Map(randomFunctions(UNSEEDED));
  spendSteps(2000);
  const twister = new MersenneTwister(seedNumber(seed));
  return new Map(
    randomFunctions({
      nextWord: () => twister.nextWord(),
      random: () => ((twister.nextWord() >>> 5) * 2 ** 26 + (twister.nextWord() >>> 6)) / 2 ** 53,
    }),
  );
}

/**
 * Returns the seed as an int: ints seed directly, strings and bytes by their contents followed by their SHA-512 hash.
 */
function seedNumber(seed: PyValue): bigint {
  if (typeof seed === "bigint") return seed;
  if (typeof seed === "boolean") return BigInt(seed);
  if (typeof seed === "number") return BigInt.asUintN(64, hash([seed]));
  if (typeof seed !== "string" && !(seed instanceof PyBytes)) {
    throw typeError("The only supported seed types are: None,\nint, float, str, bytes, and bytearray.");
  }
  const bytes = typeof seed === "string" ? Buffer.from(seed) : Buffer.from(seed.toArray());
  spendBytes(bytes.length);
  const digest = createHash("sha512").update(bytes).digest();
  return BigInt(`0x${Buffer.concat([bytes, digest]).toString("hex")}`);
}

const RANDOM_TYPE = new PyType(
  "random",
  defineFunction("Random", { optional: [["x", null]] }, ([seed = null]) => new PyRandom(seed)),
  { isInstance: (value) => value instanceof PyRandom },
);

/** The module `random`. Its own functions are unseeded: one formula must not determine the numbers of another. */
export const RANDOM_MODULE = new PyModule(
  "random",
  new Map<string, PyValue>([...randomFunctions(UNSEEDED), ["Random", RANDOM_TYPE]]),
  "SystemRandom betavariate gammavariate getstate lognormvariate paretovariate randbytes seed setstate triangular vonmisesvariate weibullvariate",
);

import { BINARY } from "../runtime/operators.ts";
import { callWith } from "../runtime/calls.ts";
import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { valueError } from "../runtime/errors.ts";
import { PyIterator } from "../runtime/iteration.ts";
import { requireIndex, requireInt } from "../runtime/signature.ts";
import { itemsOf, iterate, pyEquals, PyFunction, PyTuple, type PyValue, isTruthy } from "../runtime/values.ts";
import { moduleFunction, moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

const REST = { rest: true } as const;

/** Defines a function that returns an iterator with the same type name. */
function iterator(
  name: string,
  signature: Parameters<typeof moduleFunctionWith>[1],
  make: (args: readonly PyValue[]) => Iterator<PyValue>,
): [string, PyFunction] {
  return moduleFunctionWith(name, signature, (args) => new PyIterator(`itertools.${name}`, make(args)));
}

/** Iterates over a Python value. */
function* iterateValues(value: PyValue): Generator<PyValue> {
  const values = iterate(value);
  for (let item = values.next(); !item.done; item = values.next()) {
    spendSteps(1);
    yield item.value;
  }
}

function* chain(sources: Iterable<PyValue>): Generator<PyValue> {
  for (const source of sources) yield* iterateValues(source);
}

class Chain extends PyFunction {
  override attribute(name: string): PyValue | undefined {
    if (name !== "from_iterable") return super.attribute(name);
    return new PyFunction(name, ([sources = null]) => new PyIterator("itertools.chain", chain(iterateValues(sources))));
  }
}

function* accumulate([values = null, fn = null, initial = null]: readonly PyValue[]): Generator<PyValue> {
  let total: PyValue | undefined = initial === null ? undefined : initial;
  if (total !== undefined) yield total;
  for (const item of iterateValues(values)) {
    if (total === undefined) total = item;
    else total = fn === null ? BINARY["+"](total, item) : callWith(fn, total, item);
    yield total;
  }
}

/**
 * Yields choices of `count` indices out of `total`, in order; `next` returns the smallest index that may follow
 * another.
 */
function* combinationsOfIndices(total: number, count: number, next: (position: number) => number): Generator<number[]> {
  const selection: number[] = [];
  function* fill(from: number): Generator<number[]> {
    if (selection.length === count) {
      yield selection;
      return;
    }
    for (let position = from; position < total; position++) {
      spendSteps(1);
      selection.push(position);
      yield* fill(next(position));
      selection.pop();
    }
  }
  yield* fill(0);
}

function* selectCombinations(values: PyValue, size: PyValue, step: number): Generator<PyValue> {
  const pool = itemsOf(values);
  const count = requireIndex(size);
  if (count < 0) throw valueError("r must be non-negative");
  for (const selection of combinationsOfIndices(pool.length, count, (position) => position + step)) {
    spendBytes(count * 8);
    yield new PyTuple(selection.map((position) => pool[position] ?? null));
  }
}

function* permutations([values = null, size = null]: readonly PyValue[]): Generator<PyValue> {
  const pool = itemsOf(values);
  const count = size === null ? pool.length : requireIndex(size);
  for (const selection of combinationsOfIndices(pool.length, count, () => 0)) {
    spendSteps(count);
    if (new Set(selection).size === count) yield new PyTuple(selection.map((position) => pool[position] ?? null));
  }
}

/** Yields all choices of one element per pool, the last pool varying fastest. */
function* product(pools: readonly (readonly PyValue[])[]): Generator<PyValue[]> {
  if (pools.some((pool) => pool.length === 0)) return;
  const positions = pools.map(() => 0);
  for (;;) {
    spendBytes(pools.length * 8 + 16);
    yield pools.map((pool, index) => pool[positions[index] ?? 0] ?? null);
    let at = pools.length - 1;
    while (at >= 0 && (positions[at] ?? 0) + 1 >= (pools[at]?.length ?? 0)) positions[at--] = 0;
    if (at < 0) return;
    positions[at] = (positions[at] ?? 0) + 1;
  }
}

function* count([start = 0n, step = 1n]: readonly PyValue[]): Generator<PyValue> {
  for (let value = start; ; value = BINARY["+"](value, step)) {
    spendSteps(1);
    yield value;
  }
}

function* cycle([values = null]: readonly PyValue[]): Generator<PyValue> {
  const cached = itemsOf(values);
  while (cached.length > 0) {
    for (const item of cached) {
      spendSteps(1);
      yield item;
    }
  }
}

function* repeat([value = null, times = null]: readonly PyValue[]): Generator<PyValue> {
  for (let left = times === null ? Infinity : requireIndex(times); left > 0; left--) {
    spendSteps(1);
    yield value;
  }
}

function* groupBy([values = null, key = null]: readonly PyValue[]): Generator<PyValue> {
  let group: { key: PyValue; items: PyValue[] } | undefined;
  for (const item of iterateValues(values)) {
    const itemKey = key === null ? item : callWith(key, item);
    if (group && pyEquals(group.key, itemKey)) group.items.push(item);
    else {
      if (group) yield asGroup(group);
      group = { key: itemKey, items: [item] };
    }
  }
  if (group) yield asGroup(group);
}

const asGroup = ({ key, items }: { key: PyValue; items: readonly PyValue[] }): PyTuple =>
  new PyTuple([key, new PyIterator("itertools._grouper", items[Symbol.iterator]())]);

function* slice(args: readonly PyValue[]): Generator<PyValue> {
  const [values = null, ...bounds] = args;
  const [start, stop, step] = bounds.length === 1 ? [null, bounds[0] ?? null, null] : bounds;
  const from = start === undefined || start === null ? 0 : requireIndex(start);
  const to = stop === undefined || stop === null ? Infinity : requireIndex(stop);
  const by = step === undefined || step === null ? 1 : requireIndex(step);
  if (from < 0 || to < 0 || by < 1)
    throw valueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.");
  if (to === 0 || from >= to) return;
  let index = 0;
  let nextIndex = from;
  for (const item of iterateValues(values)) {
    if (index === nextIndex) {
      yield item;
      nextIndex += by;
    }
    if (++index >= to) return;
  }
}

function* zipLongest(sources: readonly PyValue[], fill: PyValue): Generator<PyValue> {
  const iterators = sources.map(iterate);
  for (;;) {
    spendSteps(sources.length + 1);
    const items = iterators.map((one) => one.next());
    if (items.every((item) => item.done)) return;
    yield new PyTuple(items.map((item) => (item.done ? fill : item.value)));
  }
}

function* filterFalse(fn: PyValue, values: PyValue): Generator<PyValue> {
  for (const item of iterateValues(values)) if (!isTruthy(fn === null ? item : callWith(fn, item))) yield item;
}

function* takeWhile(fn: PyValue, values: PyValue): Generator<PyValue> {
  for (const item of iterateValues(values)) {
    if (!isTruthy(callWith(fn, item))) return;
    yield item;
  }
}

function* dropWhile(fn: PyValue, values: PyValue): Generator<PyValue> {
  let dropping = true;
  for (const item of iterateValues(values)) {
    dropping &&= isTruthy(callWith(fn, item));
    if (!dropping) yield item;
  }
}

function* starMap(fn: PyValue, values: PyValue): Generator<PyValue> {
  for (const item of iterateValues(values)) yield callWith(fn, ...itemsOf(item));
}

function* compress(values: PyValue, selectors: PyValue): Generator<PyValue> {
  const selectorIterator = iterate(selectors);
  for (const item of iterateValues(values)) {
    const select = selectorIterator.next();
    if (select.done) return;
    if (isTruthy(select.value)) yield item;
  }
}

function* pairwise(values: PyValue): Generator<PyValue> {
  let last: PyValue | undefined;
  for (const item of iterateValues(values)) {
    if (last !== undefined) yield new PyTuple([last, item]);
    last = item;
  }
}

function tee(values: PyValue, times: number): PyTuple {
  const items = itemsOf(values);
  spendSteps(times);
  const copies = Array.from({ length: times }, () => new PyIterator("itertools._tee", items.values()));
  return new PyTuple(copies);
}

const FN = { required: ["function", "iterable"], positionalOnly: true } as const;

export const ITERTOOLS_MODULE = new PyModule(
  "itertools",
  new Map<string, PyValue>([
    ["chain", new Chain("chain", (sources) => new PyIterator("itertools.chain", chain(sources)))],
    iterator(
      "accumulate",
      {
        required: ["iterable"],
        optional: [
          ["func", null],
          ["initial", null],
        ],
      },
      accumulate,
    ),
    iterator("combinations", { required: ["iterable", "r"] }, ([values = null, size = null]) =>
      selectCombinations(values, size, 1),
    ),
    iterator("combinations_with_replacement", { required: ["iterable", "r"] }, ([values = null, size = null]) =>
      selectCombinations(values, size, 0),
    ),
    iterator("permutations", { required: ["iterable"], optional: [["r", null]] }, permutations),
    iterator("product", { rest: true, optional: [["repeat", 1n]] }, ([times, ...sources]) => {
      const pools = sources.map((source) => itemsOf(source));
      if (requireInt(times) < 0n) throw valueError("repeat argument cannot be negative");
      spendBytes(pools.length * Number(requireInt(times)) * 16);
      const repeated = Array.from({ length: Number(requireInt(times)) }, () => pools).flat();
      return product(repeated).map((items) => new PyTuple(items));
    }),
    iterator(
      "count",
      {
        optional: [
          ["start", 0n],
          ["step", 1n],
        ],
      },
      count,
    ),
    iterator("cycle", { required: ["iterable"] }, cycle),
    iterator("repeat", { required: ["object"], optional: [["times", null]] }, repeat),
    iterator("groupby", { required: ["iterable"], optional: [["key", null]] }, groupBy),
    iterator("islice", REST, slice),
    iterator("zip_longest", { rest: true, optional: [["fillvalue", null]] }, ([fill = null, ...sources]) =>
      zipLongest(sources, fill),
    ),
    iterator("filterfalse", FN, ([fn = null, values = null]) => filterFalse(fn, values)),
    iterator("takewhile", FN, ([fn = null, values = null]) => takeWhile(fn, values)),
    iterator("dropwhile", FN, ([fn = null, values = null]) => dropWhile(fn, values)),
    iterator("starmap", FN, ([fn = null, values = null]) => starMap(fn, values)),
    iterator("compress", FN, ([values = null, selectors = null]) => compress(values, selectors)),
    iterator("pairwise", { required: ["iterable"] }, ([values = null]) => pairwise(values)),
    moduleFunction("tee", "iterable", ([values = null, times]) => tee(values, requireIndex(times)), { n: 2n }),
  ]),
);

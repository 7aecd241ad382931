import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { extraCallSteps } from "../runtime/call-costs.ts";
import { callableOf } from "../runtime/calls.ts";
import { CLASSES, type PyClass } from "../runtime/classes/classes.ts";
import { PyCounter, PyDefaultDict, PyDeque, PyOrderedDict } from "../runtime/collections/counters.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { keyError } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { PyIterator } from "../runtime/iteration.ts";
import { add } from "../runtime/operators.ts";
import { bindArguments, NOT_GIVEN, type Signature, requireIndex, requireInt } from "../runtime/signature.ts";
import { itemsOf, PyList, PyTuple, pyEquals, pyRepr, type PyValue, isTruthy } from "../runtime/values.ts";
import { moduleFunctionWith } from "./module-function.ts";
import { sliceRange } from "../runtime/collections/slice-values.ts";
import { PyModule } from "./module.ts";
import { makeNamedTuple } from "./named-tuples.ts";

const SOURCE: Signature = { optional: [["source", NOT_GIVEN]], positionalOnly: true, anyKeywords: true };
const NONE: Signature = {};
const ONE: Signature = { required: ["value"], positionalOnly: true };

function defineConstructor(cls: PyClass, signature: Signature, make: (args: readonly PyValue[]) => PyValue): PyClass {
  const steps = extraCallSteps(cls.name);
  return cls.define({
    defineConstructor(positional, keywords) {
      spendSteps(steps);
      return make(bindArguments(cls.name, signature, positional, keywords));
    },
  });
}

const countingMethod = (sign: "+" | "-"): Method<PyCounter> => ({
  signature: SOURCE,
  body(counter, [source = NOT_GIVEN, named = null]) {
    if (source !== NOT_GIVEN) counter.addCounts(source, sign);
    counter.addCounts(named, sign);
    return null;
  },
});

const COUNTER_METHODS: ReadonlyMap<string, Method<PyCounter>> = new Map<string, Method<PyCounter>>([
  [
    "most_common",
    {
      signature: { optional: [["n", null]] },
      body(counter, [maxCount = null]) {
        const entries = counter.mostCommon().map((entry) => new PyTuple(entry));
        return new PyList(maxCount === null ? entries : entries.slice(0, Math.max(0, requireIndex(maxCount))));
      },
    },
  ],
  [
    "elements",
    {
      signature: NONE,
      body(counter) {
        const items = counter.entries().flatMap(([key, value]) => {
          const times = Math.max(0, requireIndex(value));
          spendBytes(times * 16);
          return Array.from({ length: times }, () => key);
        });
        return new PyIterator("itertools.chain", items[Symbol.iterator]());
      },
    },
  ],
  ["total", { signature: NONE, body: (counter) => counter.values().reduce(add, 0n) }],
  ["update", countingMethod("+")],
  ["subtract", countingMethod("-")],
]);

defineConstructor(CLASSES.counter, SOURCE, ([source = NOT_GIVEN, named = null]) => {
  const counter = new PyCounter();
  if (source !== NOT_GIVEN && source !== null) counter.addCounts(source);
  counter.addCounts(named);
  return counter;
}).define({ methods: COUNTER_METHODS });

defineConstructor(
  CLASSES.defaultdict,
  {
    optional: [
      ["default_factory", null],
      ["source", NOT_GIVEN],
    ],
    positionalOnly: true,
    anyKeywords: true,
  },
  ([factory = null, source = NOT_GIVEN, named = null]) => {
    if (factory !== null && !callableOf(factory)) throw typeError("first argument must be callable or None");
    const dict = new PyDefaultDict(factory);
    if (source !== NOT_GIVEN) dict.update(source);
    dict.update(named);
    return dict;
  },
);

defineConstructor(CLASSES.orderedDict, SOURCE, ([source = NOT_GIVEN, named = null]) => {
  const dict = new PyOrderedDict();
  if (source !== NOT_GIVEN) dict.update(source);
  dict.update(named);
  return dict;
}).define({
  methods: new Map<string, Method<PyOrderedDict>>([
    ["move_to_end", { signature: { required: ["key"], optional: [["last", true]] }, body: moveToEnd }],
  ]),
});

function moveToEnd(dict: PyOrderedDict, [key = null, last = true]: readonly PyValue[]): null {
  if (!dict.has(key)) throw keyError(key);
  const value = dict.get(key) ?? null;
  const others = dict.entries().filter(([entryKey]) => !pyEquals(entryKey, key));
  dict.clear();
  if (!isTruthy(last)) dict.set(key, value);
  for (const [entryKey, item] of others) dict.set(entryKey, item);
  if (isTruthy(last)) dict.set(key, value);
  return null;
}

/** Defines a method of a deque that modifies it and returns None. */
const mutatingMethod = (
  signature: Signature,
  change: (deque: PyDeque, args: readonly PyValue[]) => void,
): Method<PyDeque> => ({
  signature,
  body(deque, args) {
    change(deque, args);
    return null;
  },
});

const takingMethod = (take: (items: PyValue[]) => PyValue | undefined): Method<PyDeque> => ({
  signature: NONE,
  body(deque) {
    const value = take(deque.items());
    if (value === undefined) throw new PyError("IndexError", "pop from an empty deque");
    return value;
  },
});

function push(deque: PyDeque, values: readonly PyValue[], atFront: boolean): void {
  spendBytes(values.length * 16);
  for (const value of values) {
    if (atFront) deque.items().unshift(value);
    else deque.items().push(value);
    deque.trim(!atFront);
  }
}

defineConstructor(
  CLASSES.deque,
  {
    optional: [
      ["iterable", new PyTuple([])],
      ["maxlen", null],
    ],
  },
  ([values = null, limit = null]) =>
    new PyDeque([...itemsOf(values)], limit === null ? undefined : requireIndex(limit)),
).define({
  methods: new Map<string, Method<PyDeque>>([
    ["append", mutatingMethod(ONE, (deque, values) => push(deque, values, false))],
    ["appendleft", mutatingMethod(ONE, (deque, values) => push(deque, values, true))],
    ["extend", mutatingMethod(ONE, (deque, [values = null]) => push(deque, itemsOf(values), false))],
    ["extendleft", mutatingMethod(ONE, (deque, [values = null]) => push(deque, itemsOf(values), true))],
    ["clear", mutatingMethod(NONE, (deque) => deque.items().splice(0))],
    ["reverse", mutatingMethod(NONE, (deque) => deque.items().reverse())],
    ["rotate", mutatingMethod({ optional: [["n", 1n]] }, (deque, [count]) => rotate(deque.items(), requireInt(count)))],
    ["remove", mutatingMethod(ONE, (deque, [value = null]) => remove(deque.items(), value))],
    [
      "insert",
      mutatingMethod({ required: ["i", "x"], positionalOnly: true }, (deque, [index, value = null]) => {
        if (deque.maxLength !== undefined && deque.items().length >= deque.maxLength) {
          throw new PyError("IndexError", "deque already at its maximum size");
        }
        spendBytes(16);
        deque.items().splice(requireIndex(index), 0, value);
      }),
    ],
    [
      "index",
      {
        signature: {
          required: ["x"],
          optional: [
            ["start", 0n],
            ["stop", null],
          ],
          positionalOnly: true,
        },
        body: (deque, [value = null, start = null, stop = null]) => {
          const items = itemsOf(deque);
          const range = sliceRange(items.length, start, stop);
          for (let at = range.start; at < range.stop; at++) if (pyEquals(items[at] ?? null, value)) return BigInt(at);
          throw valueError(`${pyRepr(value)} is not in deque`);
        },
      },
    ],
    ["pop", takingMethod((items) => items.pop())],
    ["popleft", takingMethod((items) => items.shift())],
    ["copy", { signature: NONE, body: (deque) => new PyDeque([...deque.items()], deque.maxLength) }],
    [
      "count",
      {
        signature: ONE,
        body: (deque, [value = null]) => BigInt(itemsOf(deque).filter((x) => pyEquals(x, value)).length),
      },
    ],
  ]),
});

function rotate(items: PyValue[], count: bigint): void {
  if (items.length === 0) return;
  const by = Number(((count % BigInt(items.length)) + BigInt(items.length)) % BigInt(items.length));
  spendSteps(items.length / 8);
  items.unshift(...items.splice(items.length - by));
}

function remove(items: PyValue[], value: PyValue): void {
  const at = items.findIndex((item) => pyEquals(item, value));
  if (at < 0) throw valueError("deque.remove(x): x not in deque");
  items.splice(at, 1);
}

export const COLLECTIONS_MODULE = new PyModule(
  "collections",
  new Map<string, PyValue>([
    ["Counter", CLASSES.counter],
    ["defaultdict", CLASSES.defaultdict],
    ["OrderedDict", CLASSES.orderedDict],
    ["deque", CLASSES.deque],
    moduleFunctionWith(
      "namedtuple",
      { required: ["typename", "field_names"], optional: [["defaults", null]] },
      makeNamedTuple,
    ),
  ]),
  "ChainMap UserDict UserList UserString abc",
);

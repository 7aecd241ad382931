import { spendBytes, spendSteps } from "../budget.ts";
import { furtherSteps } from "../call-steps.ts";
import { callableOf } from "../calls.ts";
import { CLASSES, type PyClass } from "../classes.ts";
import { PyCounter, PyDefaultDict, PyDeque, PyOrderedDict } from "../counters.ts";
import type { Method } from "../descriptors.ts";
import { keyError } from "../dicts.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { PyIterator } from "../iteration.ts";
import { add } from "../operators.ts";
import { bindArguments, NOT_GIVEN, type Signature, wantIndex, wantInt } from "../signature.ts";
import { itemsOf, PyList, PyTuple, pyEquals, pyRepr, type PyValue, truth } from "../values.ts";
import { entryWith } from "./define.ts";
import { sliceRange } from "../slice-values.ts";
import { PyModule } from "./module.ts";
import { makeNamedTuple } from "./named-tuples.ts";

const SOURCE: Signature = { optional: [["source", NOT_GIVEN]], positionalOnly: true, anyKeywords: true };
const NONE: Signature = {};
const ONE: Signature = { required: ["value"], positionalOnly: true };

function construct(cls: PyClass, signature: Signature, make: (args: readonly PyValue[]) => PyValue): PyClass {
  const steps = furtherSteps(cls.name);
  return cls.define({
    construct(positional, keywords) {
      spendSteps(steps);
      return make(bindArguments(cls.name, signature, positional, keywords));
    },
  });
}

const counting = (sign: "+" | "-"): Method<PyCounter> => ({
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
      body(counter, [most = null]) {
        const entries = counter.mostCommon().map((entry) => new PyTuple(entry));
        return new PyList(most === null ? entries : entries.slice(0, Math.max(0, wantIndex(most))));
      },
    },
  ],
  [
    "elements",
    {
      signature: NONE,
      body(counter) {
        const items = counter.entries().flatMap(([key, value]) => {
          const times = Math.max(0, wantIndex(value));
          spendBytes(times * 16);
          return Array.from({ length: times }, () => key);
        });
        return new PyIterator("itertools.chain", items[Symbol.iterator]());
      },
    },
  ],
  ["total", { signature: NONE, body: (counter) => counter.values().reduce(add, 0n) }],
  ["update", counting("+")],
  ["subtract", counting("-")],
]);

construct(CLASSES.counter, SOURCE, ([source = NOT_GIVEN, named = null]) => {
  const counter = new PyCounter();
  if (source !== NOT_GIVEN && source !== null) counter.addCounts(source);
  counter.addCounts(named);
  return counter;
}).define({ methods: COUNTER_METHODS });

construct(
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

construct(CLASSES.orderedDict, SOURCE, ([source = NOT_GIVEN, named = null]) => {
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
  const others = dict.entries().filter(([own]) => !pyEquals(own, key));
  dict.clear();
  if (!truth(last)) dict.set(key, value);
  for (const [own, item] of others) dict.set(own, item);
  if (truth(last)) dict.set(key, value);
  return null;
}

/** A method of a deque that changes it and gives None. */
const changing = (
  signature: Signature,
  change: (deque: PyDeque, args: readonly PyValue[]) => void,
): Method<PyDeque> => ({
  signature,
  body(deque, args) {
    change(deque, args);
    return null;
  },
});

const taking = (take: (items: PyValue[]) => PyValue | undefined): Method<PyDeque> => ({
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

construct(
  CLASSES.deque,
  {
    optional: [
      ["iterable", new PyTuple([])],
      ["maxlen", null],
    ],
  },
  ([values = null, limit = null]) => new PyDeque([...itemsOf(values)], limit === null ? undefined : wantIndex(limit)),
).define({
  methods: new Map<string, Method<PyDeque>>([
    ["append", changing(ONE, (deque, values) => push(deque, values, false))],
    ["appendleft", changing(ONE, (deque, values) => push(deque, values, true))],
    ["extend", changing(ONE, (deque, [values = null]) => push(deque, itemsOf(values), false))],
    ["extendleft", changing(ONE, (deque, [values = null]) => push(deque, itemsOf(values), true))],
    ["clear", changing(NONE, (deque) => deque.items().splice(0))],
    ["reverse", changing(NONE, (deque) => deque.items().reverse())],
    ["rotate", changing({ optional: [["n", 1n]] }, (deque, [count]) => rotate(deque.items(), wantInt(count)))],
    ["remove", changing(ONE, (deque, [value = null]) => remove(deque.items(), value))],
    [
      "insert",
      changing({ required: ["i", "x"], positionalOnly: true }, (deque, [index, value = null]) => {
        if (deque.limit !== undefined && deque.items().length >= deque.limit) {
          throw new PyError("IndexError", "deque already at its maximum size");
        }
        spendBytes(16);
        deque.items().splice(wantIndex(index), 0, value);
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
    ["pop", taking((items) => items.pop())],
    ["popleft", taking((items) => items.shift())],
    ["copy", { signature: NONE, body: (deque) => new PyDeque([...deque.items()], deque.limit) }],
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

/** The module `collections`. */
export const COLLECTIONS_MODULE = new PyModule(
  "collections",
  new Map<string, PyValue>([
    ["Counter", CLASSES.counter],
    ["defaultdict", CLASSES.defaultdict],
    ["OrderedDict", CLASSES.orderedDict],
    ["deque", CLASSES.deque],
    entryWith("namedtuple", { required: ["typename", "field_names"], optional: [["defaults", null]] }, makeNamedTuple),
  ]),
  "ChainMap UserDict UserList UserString abc",
);

import { spendBytes, spendSteps } from "../budget.ts";
import { callWith } from "../calls.ts";
import { PyDict } from "../dicts.ts";
import { notSupported, PyError, typeError } from "../errors.ts";
import { PyInstance } from "../instances.ts";
import { PyIterator } from "../iteration.ts";
import { isLess } from "../operators.ts";
import { PySet } from "../sets.ts";
import { wantIndex } from "../signature.ts";
import { sortValues } from "../sorting.ts";
import { PyFunction, itemsOf, PyList, PyObject, PyTuple, type PyValue, truth } from "../values.ts";
import { entry, entryWith } from "./define.ts";
import { PyModule } from "./module.ts";

/** Where a value belongs in a sorted list, before or after its equals. */
function place(args: readonly PyValue[], after: boolean): number {
  const [values = null, value = null, low, high = null, key = null] = args;
  const items = itemsOf(values);
  let from = wantIndex(low);
  let to = high === null ? items.length : wantIndex(high);
  if (from < 0) throw new PyError("ValueError", "lo must be non-negative");
  while (from < to) {
    spendSteps(4);
    const middle = Math.floor((from + to) / 2);
    const item = items[middle] ?? null;
    const own = key === null ? item : callWith(key, item);
    if (after ? !isLess(value, own) : isLess(own, value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

const RANGE = { lo: 0n, hi: null, key: null } as const;

const bisecting = (name: string, after: boolean): [string, PyValue] =>
  entry(name, "a x", (args) => BigInt(place(args, after)), RANGE);

const inserting = (name: string, after: boolean): [string, PyValue] =>
  entry(
    name,
    "a x",
    (args) => {
      const [list, value = null, low = 0n, high = null, key = null] = args;
      if (!(list instanceof PyList)) throw typeError("a list is needed");
      const measured = key === null ? value : callWith(key, value);
      spendBytes(16);
      list.items().splice(place([list, measured, low, high, key], after), 0, value);
      return null;
    },
    RANGE,
  );

export const BISECT_MODULE = new PyModule(
  "bisect",
  new Map<string, PyValue>([
    bisecting("bisect", true),
    bisecting("bisect_right", true),
    bisecting("bisect_left", false),
    inserting("insort", true),
    inserting("insort_right", true),
    inserting("insort_left", false),
  ]),
);

function wantList(value: PyValue | undefined): PyValue[] {
  if (value instanceof PyList) return value.items();
  throw typeError("heap argument must be a list");
}

/** Moves an element towards the root while it is smaller than what is above it. */
function siftUp(heap: PyValue[], start: number, from: number): void {
  const item = heap[from] ?? null;
  let at = from;
  while (at > start) {
    spendSteps(4);
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? null;
    if (!isLess(item, above)) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = item;
}

/** Lets an element sink to a leaf, and then rise to its place: as Python does it, so that equal ones lie alike. */
function siftDown(heap: PyValue[], from: number): void {
  const item = heap[from] ?? null;
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    spendSteps(4);
    const right = child + 1;
    const smaller = right < heap.length && !isLess(heap[child] ?? null, heap[right] ?? null) ? right : child;
    heap[at] = heap[smaller] ?? null;
    at = smaller;
  }
  heap[at] = item;
  siftUp(heap, from, at);
}

function heapPop([list]: readonly PyValue[]): PyValue {
  const heap = wantList(list);
  const last = heap.pop();
  if (last === undefined) throw new PyError("IndexError", "index out of range");
  const [first] = heap;
  if (first === undefined) return last;
  heap[0] = last;
  siftDown(heap, 0);
  return first;
}

function heapReplace([list, value = null]: readonly PyValue[]): PyValue {
  const heap = wantList(list);
  const [first] = heap;
  if (first === undefined) throw new PyError("IndexError", "index out of range");
  heap[0] = value;
  siftDown(heap, 0);
  return first;
}

const extreme = (name: string, reverse: boolean): [string, PyValue] =>
  entry(
    name,
    "n iterable",
    ([count, values = null, key = null]) =>
      new PyList(sortValues(itemsOf(values), reverse, key).slice(0, Math.max(0, wantIndex(count)))),
    { key: null },
  );

export const HEAPQ_MODULE = new PyModule(
  "heapq",
  new Map<string, PyValue>([
    entry("heapify", "x", ([list]) => {
      const heap = wantList(list);
      for (let at = (heap.length >> 1) - 1; at >= 0; at--) siftDown(heap, at);
      return null;
    }),
    entry("heappush", "heap item", ([list, value = null]) => {
      const heap = wantList(list);
      spendBytes(16);
      heap.push(value);
      siftUp(heap, 0, heap.length - 1);
      return null;
    }),
    entry("heappop", "heap", heapPop),
    entry("heapreplace", "heap item", heapReplace),
    entry("heappushpop", "heap item", ([list, value = null]) => {
      const [first] = wantList(list);
      return first !== undefined && isLess(first, value) ? heapReplace([list ?? null, value]) : value;
    }),
    extreme("nlargest", true),
    extreme("nsmallest", false),
    entryWith(
      "merge",
      {
        rest: true,
        optional: [
          ["key", null],
          ["reverse", false],
        ],
      },
      ([key = null, reverse = false, ...sources]) =>
        new PyIterator(
          "generator",
          sortValues(
            sources.flatMap((source) => itemsOf(source)),
            truth(reverse),
            key,
          )[Symbol.iterator](),
        ),
    ),
  ]),
);

/** A copy; with `deep` also of what is in it, each thing once. */
function copyOf(value: PyValue, deep: boolean, done: Map<PyValue, PyValue>): PyValue {
  spendSteps(3);
  if (!(value instanceof PyObject)) return value;
  const known = done.get(value);
  if (known !== undefined) return known;
  spendBytes(32);
  const inner = (item: PyValue): PyValue => (deep ? copyOf(item, true, done) : item);
  if (value instanceof PyList) {
    const copy = new PyList([]);
    done.set(value, copy);
    for (const item of value.items()) copy.items().push(inner(item));
    return copy;
  }
  if (value instanceof PyDict) {
    const copy = value.empty();
    done.set(value, copy);
    for (const [key, item] of value.entries()) copy.set(inner(key), inner(item));
    return copy;
  }
  if (value instanceof PySet) return value.isFrozen ? value : value.of(value.items().map(inner));
  if (value instanceof PyTuple)
    return deep && value.typeName === "tuple" ? new PyTuple(value.items().map(inner)) : value;
  if (value instanceof PyInstance) return copyInstance(value, inner, done);
  if (value.iterate() && !(value instanceof PyFunction) && value.hashKey() === undefined) {
    throw notSupported(`copies of ${value.typeName} values`);
  }
  return value;
}

function copyInstance(value: PyInstance, inner: (item: PyValue) => PyValue, done: Map<PyValue, PyValue>): PyValue {
  if (value.constructor !== PyInstance) throw notSupported("copies of exceptions");
  const copy = new PyInstance(value.cls);
  done.set(value, copy);
  for (const [name, item] of value.fields) copy.fields.set(name, inner(item));
  return copy;
}

export const COPY_MODULE = new PyModule(
  "copy",
  new Map<string, PyValue>([
    entry("copy", "x", ([value = null]) => copyOf(value, false, new Map())),
    entryWith("deepcopy", { required: ["x"], optional: [["memo", null]] }, ([value = null]) =>
      copyOf(value, true, new Map()),
    ),
  ]),
  "Error error",
);

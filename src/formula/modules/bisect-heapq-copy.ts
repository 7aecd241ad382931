import { spendBytes, spendSteps } from "../runtime/budget.ts";
import { callWith } from "../runtime/calls.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { notSupported, PyError, typeError } from "../runtime/errors.ts";
import { PyInstance } from "../runtime/classes/instances.ts";
import { PyIterator } from "../runtime/iteration.ts";
import { isLess } from "../runtime/operators.ts";
import { PySet } from "../runtime/collections/sets.ts";
import { requireIndex } from "../runtime/signature.ts";
import { sortValues } from "../runtime/sorting.ts";
import { PyFunction, itemsOf, PyList, PyObject, PyTuple, type PyValue, isTruthy } from "../runtime/values.ts";
import { moduleFunction, moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

/** Returns the insertion point of a value in a sorted list, before or after equal elements. */
function bisectPosition(args: readonly PyValue[], after: boolean): number {
  const [values = null, value = null, low, high = null, key = null] = args;
  const items = itemsOf(values);
  let from = requireIndex(low);
  let to = high === null ? items.length : requireIndex(high);
  if (from < 0) throw new PyError("ValueError", "lo must be non-negative");
  while (from < to) {
    spendSteps(4);
    const middle = Math.floor((from + to) / 2);
    const item = items[middle] ?? null;
    const itemKey = key === null ? item : callWith(key, item);
    if (after ? !isLess(value, itemKey) : isLess(itemKey, value)) from = middle + 1;
    else to = middle;
  }
  return from;
}

const RANGE = { lo: 0n, hi: null, key: null } as const;

const bisectFunction = (name: string, after: boolean): [string, PyValue] =>
  moduleFunction(name, "a x", (args) => BigInt(bisectPosition(args, after)), RANGE);

const insortFunction = (name: string, after: boolean): [string, PyValue] =>
  moduleFunction(
    name,
    "a x",
    (args) => {
      const [list, value = null, low = 0n, high = null, key = null] = args;
      if (!(list instanceof PyList)) throw typeError("a list is needed");
      const measured = key === null ? value : callWith(key, value);
      spendBytes(16);
      list.items().splice(bisectPosition([list, measured, low, high, key], after), 0, value);
      return null;
    },
    RANGE,
  );

export const BISECT_MODULE = new PyModule(
  "bisect",
  new Map<string, PyValue>([
    bisectFunction("bisect", true),
    bisectFunction("bisect_right", true),
    bisectFunction("bisect_left", false),
    insortFunction("insort", true),
    insortFunction("insort_right", true),
    insortFunction("insort_left", false),
  ]),
);

function requireList(value: PyValue | undefined): PyValue[] {
  if (value instanceof PyList) return value.items();
  throw typeError("heap argument must be a list");
}

/** Moves an element towards the root while it is smaller than its parent. */
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

/**
 * Moves an element down to a leaf and then up to its position, like CPython, so that equal elements end in the same
 * order.
 */
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
  const heap = requireList(list);
  const last = heap.pop();
  if (last === undefined) throw new PyError("IndexError", "index out of range");
  const [first] = heap;
  if (first === undefined) return last;
  heap[0] = last;
  siftDown(heap, 0);
  return first;
}

function heapReplace([list, value = null]: readonly PyValue[]): PyValue {
  const heap = requireList(list);
  const [first] = heap;
  if (first === undefined) throw new PyError("IndexError", "index out of range");
  heap[0] = value;
  siftDown(heap, 0);
  return first;
}

const nLargestFunction = (name: string, reverse: boolean): [string, PyValue] =>
  moduleFunction(
    name,
    "n iterable",
    ([count, values = null, key = null]) =>
      new PyList(sortValues(itemsOf(values), reverse, key).slice(0, Math.max(0, requireIndex(count)))),
    { key: null },
  );

export const HEAPQ_MODULE = new PyModule(
  "heapq",
  new Map<string, PyValue>([
    moduleFunction("heapify", "x", ([list]) => {
      const heap = requireList(list);
      for (let at = (heap.length >> 1) - 1; at >= 0; at--) siftDown(heap, at);
      return null;
    }),
    moduleFunction("heappush", "heap item", ([list, value = null]) => {
      const heap = requireList(list);
      spendBytes(16);
      heap.push(value);
      siftUp(heap, 0, heap.length - 1);
      return null;
    }),
    moduleFunction("heappop", "heap", heapPop),
    moduleFunction("heapreplace", "heap item", heapReplace),
    moduleFunction("heappushpop", "heap item", ([list, value = null]) => {
      const [first] = requireList(list);
      return first !== undefined && isLess(first, value) ? heapReplace([list ?? null, value]) : value;
    }),
    nLargestFunction("nlargest", true),
    nLargestFunction("nsmallest", false),
    moduleFunctionWith(
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
            isTruthy(reverse),
            key,
          )[Symbol.iterator](),
        ),
    ),
  ]),
);

/** Returns a copy; with `deep` also of its contents, copying each object once. */
function copyOf(value: PyValue, deep: boolean, copies: Map<PyValue, PyValue>): PyValue {
  spendSteps(3);
  if (!(value instanceof PyObject)) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  spendBytes(32);
  const inner = (item: PyValue): PyValue => (deep ? copyOf(item, true, copies) : item);
  if (value instanceof PyList) {
    const copy = new PyList([]);
    copies.set(value, copy);
    for (const item of value.items()) copy.items().push(inner(item));
    return copy;
  }
  if (value instanceof PyDict) {
    const copy = value.emptyCopy();
    copies.set(value, copy);
    for (const [key, item] of value.entries()) copy.set(inner(key), inner(item));
    return copy;
  }
  if (value instanceof PySet) return value.isFrozen ? value : value.emptyCopyWith(value.items().map(inner));
  if (value instanceof PyTuple)
    return deep && value.typeName === "tuple" ? new PyTuple(value.items().map(inner)) : value;
  if (value instanceof PyInstance) return copyInstance(value, inner, copies);
  if (value.iterate() && !(value instanceof PyFunction) && value.hashKey() === undefined) {
    throw notSupported(`copies of ${value.typeName} values`);
  }
  return value;
}

function copyInstance(value: PyInstance, inner: (item: PyValue) => PyValue, copies: Map<PyValue, PyValue>): PyValue {
  if (value.constructor !== PyInstance) throw notSupported("copies of exceptions");
  const copy = new PyInstance(value.cls);
  copies.set(value, copy);
  for (const [name, item] of value.fields) copy.fields.set(name, inner(item));
  return copy;
}

export const COPY_MODULE = new PyModule(
  "copy",
  new Map<string, PyValue>([
    moduleFunction("copy", "x", ([value = null]) => copyOf(value, false, new Map())),
    moduleFunctionWith("deepcopy", { required: ["x"], optional: [["memo", null]] }, ([value = null]) =>
      copyOf(value, true, new Map()),
    ),
  ]),
  "Error error",
);

import { spendBytes, spendSteps } from "../runtime/budget.ts";
import type { Method } from "../runtime/classes/descriptors.ts";
import { PyError, valueError } from "../runtime/errors.ts";
import { type Signature, requireIndex, requireInt } from "../runtime/signature.ts";
import { sliceRange } from "../runtime/collections/slice-values.ts";
import { sortValues } from "../runtime/sorting.ts";
import { itemsOf, pyEquals, PyList, pyRepr, type PySequence, type PyValue } from "../runtime/values.ts";

const NONE: Signature = {};
const ONE: Signature = { required: ["value"], positionalOnly: true };
const IN_RANGE: Signature = {
  required: ["value"],
  optional: [
    ["start", 0n],
    ["stop", null],
  ],
  positionalOnly: true,
};

/** Defines a method that modifies the list and returns None. */
function mutatingMethod(signature: Signature, body: (list: PyList, args: readonly PyValue[]) => void): Method<PyList> {
  return {
    signature,
    body(list, args) {
      body(list, args);
      return null;
    },
  };
}

/** Methods that lists and tuples share. */
export const SEQUENCE_METHODS: ReadonlyMap<string, Method<PySequence>> = new Map([
  [
    "count",
    { signature: ONE, body: (self, [value = null]) => BigInt(itemsOf(self).filter((x) => pyEquals(x, value)).length) },
  ],
  ["index", { signature: IN_RANGE, body: indexOf }],
]);

/** Like the methods of lists, but `index` takes no bounds. */
export const RANGE_METHODS: ReadonlyMap<string, Method<PySequence>> = new Map([
  ...SEQUENCE_METHODS,
  ["index", { signature: ONE, body: indexOf }],
]);

export const LIST_METHODS: ReadonlyMap<string, Method<PyList>> = new Map([
  [
    "append",
    mutatingMethod(ONE, (list, [value = null]) => {
      spendBytes(16);
      list.items().push(value);
    }),
  ],
  ["clear", mutatingMethod(NONE, (list) => list.replaceItems([]))],
  [
    "copy",
    {
      signature: NONE,
      body(list: PyList) {
        spendBytes(list.items().length * 8);
        return new PyList([...list.items()]);
      },
    },
  ],
  [
    "extend",
    mutatingMethod(ONE, (list, [values = null]) => {
      const items = itemsOf(values);
      spendBytes(items.length * 8);
      for (const item of items.slice()) list.items().push(item);
    }),
  ],
  [
    "insert",
    mutatingMethod({ required: ["index", "value"], positionalOnly: true }, (list, [index, value = null]) => {
      spendBytes(16);
      spendSteps(list.items().length / 8);
      const { start } = sliceRange(list.items().length, BigInt(requireIndex(index)), null);
      list.items().splice(start, 0, value);
    }),
  ],
  ["pop", { signature: { optional: [["index", -1n]], positionalOnly: true }, body: pop }],
  ["remove", mutatingMethod(ONE, (list, [value = null]) => remove(list, value))],
  [
    "reverse",
    mutatingMethod(NONE, (list) => {
      spendSteps(list.items().length);
      list.items().reverse();
    }),
  ],
  [
    "sort",
    mutatingMethod(
      {
        keywordOnly: true,
        optional: [
          ["key", null],
          ["reverse", false],
        ],
      },
      (list, [key = null, reverse = false]) => {
        list.replaceItems(sortValues(list.items(), requireInt(reverse) !== 0n, key));
      },
    ),
  ],
]);

function indexOf(self: PySequence, [value = null, start = null, stop = null]: readonly PyValue[]): PyValue {
  const items = itemsOf(self);
  const range = sliceRange(items.length, start, stop);
  for (let at = range.start; at < range.stop; at++) {
    if (pyEquals(items[at] ?? null, value)) return BigInt(at);
  }
  throw valueError(self.typeName === "list" ? `${pyRepr(value)} is not in list` : "tuple.index(x): x not in tuple");
}

function pop(list: PyList, [index]: readonly PyValue[]): PyValue {
  const items = list.items();
  if (items.length === 0) throw new PyError("IndexError", "pop from empty list");
  const requestedIndex = requireIndex(index);
  const at = requestedIndex < 0 ? requestedIndex + items.length : requestedIndex;
  if (at < 0 || at >= items.length) throw new PyError("IndexError", "pop index out of range");
  spendSteps((items.length - at) / 8);
  const [removed = null] = items.splice(at, 1);
  return removed;
}

function remove(list: PyList, value: PyValue): void {
  const items = itemsOf(list);
  const at = items.findIndex((item) => pyEquals(item, value));
  if (at < 0) throw valueError("list.remove(x): x not in list");
  list.items().splice(at, 1);
}

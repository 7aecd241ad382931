import type { Method } from "../runtime/classes/descriptors.ts";
import { keyError } from "../runtime/collections/dicts.ts";
import { PyError } from "../runtime/errors.ts";
import type { PySet } from "../runtime/collections/sets.ts";
import { toSet } from "../runtime/collections/sets.ts";
import type { Signature } from "../runtime/signature.ts";
import { itemsOf, type PyValue } from "../runtime/values.ts";

const NONE: Signature = {};
const ONE: Signature = { required: ["value"], positionalOnly: true };
const ANY: Signature = { rest: true };

type SetMethod = Method<PySet>;

/** Defines a method that combines the set with all arguments. */
const operatorMethod = (sign: string): SetMethod => ({
  signature: ANY,
  body: (set, others) =>
    others.reduce<PySet>(
      (result, other) => result.combine(sign, toSet(other)) ?? result,
      set.emptyCopyWith(set.items()),
    ),
});

/** Defines the in-place variant of the same method. */
const updateMethod = (sign: string): SetMethod => ({
  signature: ANY,
  body(set, others) {
    for (const other of others) set.replaceWith(set.combine(sign, toSet(other)) ?? set);
    return null;
  },
});

const mutatingMethod = (signature: Signature, body: (set: PySet, value: PyValue) => void): SetMethod => ({
  signature,
  body(set, [value = null]) {
    body(set, value);
    return null;
  },
});

export const FROZEN_SET_METHODS: ReadonlyMap<string, SetMethod> = new Map<string, SetMethod>([
  ["union", operatorMethod("|")],
  ["intersection", operatorMethod("&")],
  ["difference", operatorMethod("-")],
  ["symmetric_difference", operatorMethod("^")],
  ["issubset", { signature: ONE, body: (set, [other = null]) => set.isSubset(toSet(other)) }],
  ["issuperset", { signature: ONE, body: (set, [other = null]) => toSet(other).isSubset(set) }],
  ["isdisjoint", { signature: ONE, body: (set, [other = null]) => !itemsOf(other).some((item) => set.has(item)) }],
  ["copy", { signature: NONE, body: (set) => set.emptyCopyWith(set.items()) }],
]);

export const SET_METHODS: ReadonlyMap<string, SetMethod> = new Map<string, SetMethod>([
  ...FROZEN_SET_METHODS,
  ["update", updateMethod("|")],
  ["intersection_update", updateMethod("&")],
  ["difference_update", updateMethod("-")],
  ["symmetric_difference_update", updateMethod("^")],
  ["add", mutatingMethod(ONE, (set, value) => set.add(value))],
  ["discard", mutatingMethod(ONE, (set, value) => void set.delete(value))],
  [
    "remove",
    mutatingMethod(ONE, (set, value) => {
      if (!set.delete(value)) throw keyError(value);
    }),
  ],
  ["clear", mutatingMethod(NONE, (set) => set.clear())],
  ["pop", { signature: NONE, body: pop }],
]);

function pop(set: PySet): PyValue {
  const [first] = set.items();
  if (first === undefined) throw new PyError("KeyError", "pop from an empty set", { args: ["pop from an empty set"] });
  set.delete(first);
  return first;
}

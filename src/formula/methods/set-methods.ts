import type { Method } from "../descriptors.ts";
import { keyError } from "../dicts.ts";
import { PyError } from "../errors.ts";
import type { PySet } from "../sets.ts";
import { toSet } from "../sets.ts";
import type { Signature } from "../signature.ts";
import { itemsOf, type PyValue } from "../values.ts";

const NONE: Signature = {};
const ONE: Signature = { required: ["value"], positionalOnly: true };
const ANY: Signature = { rest: true };

type SetMethod = Method<PySet>;

/** Combines the set with all that is given. */
const combine = (sign: string): SetMethod => ({
  signature: ANY,
  body: (set, others) =>
    others.reduce<PySet>((result, other) => result.combine(sign, toSet(other)) ?? result, set.of(set.items())),
});

/** The same, leaving the result in the set. */
const update = (sign: string): SetMethod => ({
  signature: ANY,
  body(set, others) {
    for (const other of others) set.replaceWith(set.combine(sign, toSet(other)) ?? set);
    return null;
  },
});

const change = (signature: Signature, body: (set: PySet, value: PyValue) => void): SetMethod => ({
  signature,
  body(set, [value = null]) {
    body(set, value);
    return null;
  },
});

export const FROZEN_SET_METHODS: ReadonlyMap<string, SetMethod> = new Map<string, SetMethod>([
  ["union", combine("|")],
  ["intersection", combine("&")],
  ["difference", combine("-")],
  ["symmetric_difference", combine("^")],
  ["issubset", { signature: ONE, body: (set, [other = null]) => set.isSubset(toSet(other)) }],
  ["issuperset", { signature: ONE, body: (set, [other = null]) => toSet(other).isSubset(set) }],
  ["isdisjoint", { signature: ONE, body: (set, [other = null]) => !itemsOf(other).some((item) => set.has(item)) }],
  ["copy", { signature: NONE, body: (set) => set.of(set.items()) }],
]);

export const SET_METHODS: ReadonlyMap<string, SetMethod> = new Map<string, SetMethod>([
  ...FROZEN_SET_METHODS,
  ["update", update("|")],
  ["intersection_update", update("&")],
  ["difference_update", update("-")],
  ["symmetric_difference_update", update("^")],
  ["add", change(ONE, (set, value) => set.add(value))],
  ["discard", change(ONE, (set, value) => void set.delete(value))],
  [
    "remove",
    change(ONE, (set, value) => {
      if (!set.delete(value)) throw keyError(value);
    }),
  ],
  ["clear", change(NONE, (set) => set.clear())],
  ["pop", { signature: NONE, body: pop }],
]);

function pop(set: PySet): PyValue {
  const [first] = set.items();
  if (first === undefined) throw new PyError("KeyError", "pop from an empty set", { args: ["pop from an empty set"] });
  set.delete(first);
  return first;
}

import type { Method } from "../runtime/classes/descriptors.ts";
import { keyError, PyDict, PyDictView } from "../runtime/collections/dicts.ts";
import { PyError } from "../runtime/errors.ts";
import { NOT_GIVEN, type Signature } from "../runtime/signature.ts";
import { itemsOf, PyTuple, type PyValue } from "../runtime/values.ts";

const NONE: Signature = {};

export const DICT_METHODS: ReadonlyMap<string, Method<PyDict>> = new Map<string, Method<PyDict>>([
  ["keys", { signature: NONE, body: (dict) => new PyDictView("keys", dict, () => dict.keys()) }],
  ["values", { signature: NONE, body: (dict) => new PyDictView("values", dict, () => dict.values()) }],
  [
    "items",
    {
      signature: NONE,
      body: (dict) => new PyDictView("items", dict, () => dict.entries().map((entry) => new PyTuple(entry))),
    },
  ],
  [
    "get",
    {
      signature: { required: ["key"], optional: [["default", null]], positionalOnly: true },
      body(dict, [key = null, defaultValue = null]) {
        const value = dict.get(key);
        return value === undefined ? defaultValue : value;
      },
    },
  ],
  ["pop", { signature: { required: ["key"], optional: [["default", NOT_GIVEN]], positionalOnly: true }, body: pop }],
  ["popitem", { signature: { optional: [["last", true]] }, body: (dict, [last]) => popEntry(dict, last !== false) }],
  [
    "setdefault",
    {
      signature: { required: ["key"], optional: [["default", null]], positionalOnly: true },
      body(dict, [key = null, defaultValue = null]) {
        const value = dict.get(key);
        if (value === undefined) dict.set(key, defaultValue);
        return value === undefined ? defaultValue : value;
      },
    },
  ],
  [
    "update",
    {
      signature: { optional: [["other", NOT_GIVEN]], positionalOnly: true, anyKeywords: true },
      body(dict, [other = NOT_GIVEN, named = null]) {
        if (other !== NOT_GIVEN) dict.update(other);
        dict.update(named);
        return null;
      },
    },
  ],
  [
    "clear",
    {
      signature: NONE,
      body(dict) {
        dict.clear();
        return null;
      },
    },
  ],
  ["copy", { signature: NONE, body: (dict) => dict.copy() }],
]);

function pop(dict: PyDict, [key = null, defaultValue = NOT_GIVEN]: readonly PyValue[]): PyValue {
  const value = dict.get(key);
  if (value === undefined) {
    if (defaultValue === NOT_GIVEN) throw keyError(key);
    return defaultValue;
  }
  dict.delete(key);
  return value;
}

function popEntry(dict: PyDict, last: boolean): PyValue {
  const entry = last ? dict.entries().at(-1) : dict.entries()[0];
  if (!entry) throw new PyError("KeyError", "dictionary is empty", { args: ["popitem(): dictionary is empty"] });
  dict.delete(entry[0]);
  return new PyTuple(entry);
}

/** `dict.fromkeys(keys, value)` */
export function fromKeys([keys = null, value = null]: readonly PyValue[]): PyDict {
  return PyDict.of(itemsOf(keys).map((key) => [key, value] as const));
}

import { spendSteps } from "../runtime/budget.ts";
import { extraCallSteps } from "../runtime/call-costs.ts";
import type { PyClass } from "../runtime/classes/classes.ts";
import { CLASSES } from "../runtime/classes/classes.ts";
import { defineComplex } from "../runtime/numbers/complex.ts";
import { defineSubclassing } from "../runtime/classes/derived.ts";
import { defineOperatorMethods } from "./dunders.ts";
import { PyByteArray } from "../runtime/text/byte-arrays.ts";
import { decodeBytes, makeBytes, PyBytes } from "../runtime/text/bytes.ts";
import { type Method, PyClassMethod, PyProperty, PyStaticMethod } from "../runtime/classes/descriptors.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { typeError } from "../runtime/errors.ts";
import { errorOf, EXCEPTIONS } from "../runtime/classes/exceptions.ts";
import type { PyGenerator } from "../runtime/classes/generators.ts";
import { toFloat, toInt } from "../functions/python.ts";
import { ELLIPSIS, constructInstance, NOT_IMPLEMENTED } from "../runtime/classes/instances.ts";
import { BYTE_ARRAY_METHODS } from "../methods/byte-array-methods.ts";
import { BYTES_METHODS, bytesFromHex, makeByteTable } from "../methods/bytes-methods.ts";
import { DICT_METHODS, fromKeys } from "../methods/dict-methods.ts";
import { LIST_METHODS, RANGE_METHODS, SEQUENCE_METHODS } from "../methods/list-methods.ts";
import { FLOAT_METHODS, floatFromHex, INT_METHODS, intFromBytes } from "../methods/number-methods.ts";
import { FROZEN_SET_METHODS, SET_METHODS } from "../methods/set-methods.ts";
import { TEXT_METHODS } from "../methods/text-methods.ts";
import { FORMAT_METHODS, makeTranslation } from "../methods/text-format.ts";
import { PySet } from "../runtime/collections/sets.ts";
import {
  bindArguments,
  defineFunction,
  NOT_GIVEN,
  type Signature,
  requireIndex,
  requireText,
} from "../runtime/signature.ts";
import { PySlice, sliceRange } from "../runtime/collections/slice-values.ts";
import { itemsOf, PyFunction, PyList, pyStr, PyTuple, type PyValue, isTruthy, typeName } from "../runtime/values.ts";
import * as iterators from "./iterators.ts";
import { typeOf } from "./objects.ts";
import { stopIteration } from "../runtime/iteration.ts";

defineComplex();
defineSubclassing();
defineOperatorMethods();

/** Defines the constructor of a class by a signature. */
function defineConstructor(cls: PyClass, signature: Signature, make: (args: readonly PyValue[]) => PyValue): PyClass {
  const steps = extraCallSteps(cls.name);
  return cls.define({
    defineConstructor(positional, keywords) {
      spendSteps(steps);
      return make(bindArguments(cls.name, signature, positional, keywords));
    },
  });
}

const OPTIONAL_VALUE: Signature = { optional: [["value", NOT_GIVEN]], positionalOnly: true };

/** Returns the elements of an optional argument. */
const itemsOrNone = (value: PyValue): readonly PyValue[] => (value === NOT_GIVEN ? [] : itemsOf(value));

const WITH_ENCODING: Signature = {
  optional: [
    ["object", ""],
    ["encoding", null],
    ["errors", "strict"],
  ],
};

CLASSES.object.define({
  defineConstructor: (positional, keywords, cls) => constructInstance(cls, positional, keywords),
});
defineConstructor(CLASSES.type, { required: ["value"], rest: true }, typeOf);
defineConstructor(CLASSES.str, WITH_ENCODING, makeText).define({
  methods: new Map([...TEXT_METHODS, ...FORMAT_METHODS]),
});
defineConstructor(CLASSES.bytes, WITH_ENCODING, ([value = null, encoding = null]) =>
  value === "" && encoding === null ? new PyBytes("") : makeBytes(value, encoding, itemsOf),
).define({ methods: BYTES_METHODS });
defineConstructor(CLASSES.bytearray, WITH_ENCODING, ([value = null, encoding = null]) =>
  value === "" && encoding === null ? new PyByteArray("") : new PyByteArray(makeBytes(value, encoding, itemsOf).text),
).define({ methods: BYTE_ARRAY_METHODS });
defineConstructor(
  CLASSES.int,
  {
    optional: [
      ["value", 0n],
      ["base", null],
    ],
  },
  toInt,
).define({ methods: INT_METHODS });
defineConstructor(CLASSES.float, { optional: [["value", 0]], positionalOnly: true }, ([value = null]) =>
  toFloat(value),
).define({ methods: FLOAT_METHODS });
defineConstructor(CLASSES.bool, { optional: [["value", false]], positionalOnly: true }, ([value = null]) =>
  isTruthy(value),
);
defineConstructor(CLASSES.list, OPTIONAL_VALUE, ([values = null]) => new PyList([...itemsOrNone(values)])).define({
  methods: new Map([...SEQUENCE_METHODS, ...LIST_METHODS]),
});
defineConstructor(CLASSES.tuple, OPTIONAL_VALUE, ([values = null]) =>
  values instanceof PyTuple && values !== NOT_GIVEN && values.typeName === "tuple"
    ? values
    : new PyTuple([...itemsOrNone(values)]),
).define({ methods: SEQUENCE_METHODS });
defineConstructor(CLASSES.set, OPTIONAL_VALUE, ([values = null]) => new PySet(itemsOrNone(values))).define({
  methods: SET_METHODS,
});
defineConstructor(CLASSES.frozenset, OPTIONAL_VALUE, ([values = null]) => new PySet(itemsOrNone(values), true)).define({
  methods: FROZEN_SET_METHODS,
});
defineConstructor(CLASSES.dict, { ...OPTIONAL_VALUE, anyKeywords: true }, ([values = null, named = null]) => {
  const dict = new PyDict();
  if (values !== NOT_GIVEN) dict.update(values);
  dict.update(named);
  return dict;
}).define({ methods: DICT_METHODS });
defineConstructor(CLASSES.enumerate, { required: ["iterable"], optional: [["start", 0n]] }, iterators.enumerate);
CLASSES.zip.define({ defineConstructor: iterators.zip });
defineConstructor(CLASSES.map, { rest: true }, iterators.map);
defineConstructor(CLASSES.filter, { required: ["function", "iterable"], positionalOnly: true }, iterators.filter);
defineConstructor(CLASSES.reversed, { required: ["values"], positionalOnly: true }, iterators.reversed);
defineConstructor(CLASSES.range, { rest: true }, iterators.range).define({ methods: RANGE_METHODS });
defineConstructor(CLASSES.slice, { rest: true }, makeSlice).define({
  methods: new Map<string, Method<PySlice>>([
    [
      "indices",
      {
        signature: { required: ["len"], positionalOnly: true },
        body(self, [length]) {
          const { start, stop, step } = sliceRange(requireIndex(length), self.start, self.stop, self.step);
          return new PyTuple([BigInt(start), BigInt(stop), BigInt(step)]);
        },
      },
    ],
  ]),
});
defineConstructor(
  CLASSES.property,
  { required: ["fget"], optional: [["fset", null]] },
  ([getter = null, setter = null]) => new PyProperty(getter, setter),
);
defineConstructor(CLASSES.staticmethod, { required: ["fn"] }, ([fn = null]) => new PyStaticMethod(fn));
defineConstructor(CLASSES.classmethod, { required: ["fn"] }, ([fn]) => {
  if (fn instanceof PyFunction) return new PyClassMethod(fn);
  throw typeError("a function is needed");
});
CLASSES.generator.define({
  methods: new Map<string, Method<PyGenerator>>([
    [
      "send",
      {
        signature: { required: ["value"] },
        body: (self, [value = null]) => valueOrStopIteration(self, self.send(value)),
      },
    ],
    [
      "throw",
      {
        signature: { required: ["value"] },
        body: (self, [value = null]) => valueOrStopIteration(self, self.throwInto(errorOf(value))),
      },
    ],
    [
      "close",
      {
        signature: {},
        body(self) {
          self.close();
          return null;
        },
      },
    ],
  ]),
});

CLASSES.int.members.set(
  "from_bytes",
  new PyStaticMethod(
    defineFunction(
      "from_bytes",
      {
        required: ["bytes"],
        optional: [
          ["byteorder", "big"],
          ["signed", false],
        ],
      },
      intFromBytes,
    ),
  ),
);
CLASSES.float.members.set(
  "fromhex",
  new PyStaticMethod(defineFunction("fromhex", { required: ["string"], positionalOnly: true }, floatFromHex)),
);
CLASSES.bytes.members.set(
  "maketrans",
  new PyStaticMethod(defineFunction("maketrans", { required: ["from", "to"], positionalOnly: true }, makeByteTable)),
);
CLASSES.dict.members.set("fromkeys", new PyStaticMethod(functionOf("fromkeys", fromKeys)));
CLASSES.bytes.members.set("fromhex", new PyStaticMethod(functionOf("fromhex", bytesFromHex)));
CLASSES.str.members.set("maketrans", new PyStaticMethod(functionOf("maketrans", makeTranslation)));

/** Implements `str(value)` and `str(bytes, encoding, errors)`. */
function makeText([value = null, encoding = null, errors]: readonly PyValue[]): string {
  if (encoding === null) return pyStr(value);
  if (typeof encoding !== "string") {
    throw typeError(`str() argument 'encoding' must be str, not ${typeName(encoding)}`);
  }
  if (value instanceof PyBytes) return decodeBytes(value, encoding, requireText(errors));
  throw typeError(`decoding to str: need a bytes-like object, ${typeName(value)} found`);
}

function functionOf(name: string, body: (args: readonly PyValue[]) => PyValue): PyFunction {
  return new PyFunction(name, body);
}

function valueOrStopIteration(self: PyGenerator, value: PyValue | undefined): PyValue {
  if (value === undefined) throw stopIteration(self.returned);
  return value;
}

function makeSlice(positional: readonly PyValue[]): PySlice {
  const [first = null, second, step = null] = positional;
  if (positional.length === 0) throw typeError("slice expected at least 1 argument, got 0");
  return second === undefined ? new PySlice(null, first, null) : new PySlice(first, second, step);
}

const NAMED_CLASSES = (
  "object type int bool float complex str bytes bytearray list tuple dict set frozenset range slice enumerate zip map filter reversed " +
  "property staticmethod classmethod"
).split(" ");

/** Classes and other non-function values that formulas can use without a qualifier. */
export const BUILTIN_NAMES: ReadonlyMap<string, PyValue> = new Map<string, PyValue>([
  ...NAMED_CLASSES.map((name) => [name, CLASSES[name as keyof typeof CLASSES]] as const),
  ...EXCEPTIONS,
  ["NotImplemented", NOT_IMPLEMENTED],
  ["Ellipsis", ELLIPSIS],
  ["__debug__", true],
  ["__name__", "usercode"],
]);

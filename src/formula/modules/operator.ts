import { readAttribute } from "../runtime/classes/attributes.ts";
import { callValue } from "../runtime/calls.ts";
import { BINARY, COMPARE, UNARY } from "../runtime/operators.ts";
import { requireText } from "../runtime/signature.ts";
import { deleteIndex, readIndex, writeIndex } from "../runtime/collections/slices.ts";
import { itemsOf, pyEquals, PyFunction, PyTuple, type PyValue, isTruthy } from "../runtime/values.ts";
import { absolute } from "../functions/python.ts";
import { valueError } from "../runtime/errors.ts";
import { moduleFunction } from "./module-function.ts";
import { PyModule } from "./module.ts";

const NAMES = {
  add: "+",
  sub: "-",
  mul: "*",
  truediv: "/",
  floordiv: "//",
  mod: "%",
  pow: "**",
  lshift: "<<",
  rshift: ">>",
  and_: "&",
  or_: "|",
  xor: "^",
  matmul: "@",
} as const;
const COMPARISONS = { eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=", is_: "is", is_not: "is not" } as const;

/** Defines a function that returns a getter: one key gives one result, several keys a tuple. */
const getter = (name: string, read: (value: PyValue, key: PyValue) => PyValue): [string, PyValue] => [
  name,
  new PyFunction(name, (keys) => {
    const [first = null] = keys;
    return new PyFunction(name, ([value = null]) =>
      keys.length < 2 ? read(value, first) : new PyTuple(keys.map((key) => read(value, key))),
    );
  }),
];

/** Reads a dotted path: `a.b.c` */
const readPath = (value: PyValue, path: PyValue): PyValue => requireText(path).split(".").reduce(readAttribute, value);

export const OPERATOR_MODULE = new PyModule(
  "operator",
  new Map<string, PyValue>([
    ...Object.entries(NAMES).map(([name, sign]) =>
      moduleFunction(name, "a b", ([a = null, b = null]) => BINARY[sign](a, b)),
    ),
    ...Object.entries(COMPARISONS).map(([name, sign]) =>
      moduleFunction(name, "a b", ([a = null, b = null]) => COMPARE[sign](a, b)),
    ),
    moduleFunction("concat", "a b", ([a = null, b = null]) => BINARY["+"](a, b)),
    moduleFunction("neg", "a", ([a = null]) => UNARY["-"](a)),
    moduleFunction("pos", "a", ([a = null]) => UNARY["+"](a)),
    moduleFunction("invert", "a", ([a = null]) => UNARY["~"](a)),
    moduleFunction("inv", "a", ([a = null]) => UNARY["~"](a)),
    moduleFunction("not_", "a", ([a = null]) => !isTruthy(a)),
    moduleFunction("truth", "a", ([a = null]) => isTruthy(a)),
    moduleFunction("abs", "a", absolute),
    moduleFunction("contains", "a b", ([a = null, b = null]) => COMPARE.in(b, a)),
    moduleFunction("getitem", "a b", ([a = null, b = null]) => readIndex(a, b)),
    moduleFunction("setitem", "a b c", ([a = null, b = null, c = null]) => {
      writeIndex(a, b, c);
      return null;
    }),
    moduleFunction("delitem", "a b", ([a = null, b = null]) => {
      deleteIndex(a, b);
      return null;
    }),
    moduleFunction("countOf", "a b", ([a = null, b = null]) =>
      BigInt(itemsOf(a).filter((item) => pyEquals(item, b)).length),
    ),
    moduleFunction("indexOf", "a b", ([a = null, b = null]) => {
      const at = itemsOf(a).findIndex((item) => pyEquals(item, b));
      if (at < 0) throw valueError("sequence.index(x): x not in sequence");
      return BigInt(at);
    }),
    getter("itemgetter", readIndex),
    getter("attrgetter", readPath),
    [
      "methodcaller",
      new PyFunction("methodcaller", ([name, ...args], keywords) => {
        const method = requireText(name);
        return new PyFunction(method, ([value = null]) => callValue(readAttribute(value, method), args, keywords));
      }),
    ],
  ]),
  "call iadd iand iconcat ifloordiv ilshift imatmul imod imul index ior ipow irshift isub itruediv ixor length_hint",
);

import { findAttribute } from "../runtime/classes/attributes.ts";
import { callValue, callWith } from "../runtime/calls.ts";
import { PyClass } from "../runtime/classes/classes.ts";
import { PyProperty } from "../runtime/classes/descriptors.ts";
import { PyDict } from "../runtime/collections/dicts.ts";
import { PyError, typeError, valueError } from "../runtime/errors.ts";
import { NO_KEYWORDS, NOT_IMPLEMENTED } from "../runtime/classes/instances.ts";
import { NOT_GIVEN } from "../runtime/signature.ts";
import {
  iterate,
  type Keywords,
  pyEquals,
  PyFunction,
  PyObject,
  PyTuple,
  type PyValue,
  isTruthy,
} from "../runtime/values.ts";
import { PyBoundMethod } from "../runtime/classes/user-functions.ts";
import { moduleFunctionWith } from "./module-function.ts";
import { PyModule } from "./module.ts";

function reduce([fn = null, values = null, initial = NOT_GIVEN]: readonly PyValue[]): PyValue {
  const iterator = iterate(values);
  let total = initial === NOT_GIVEN ? iterator.next().value : initial;
  if (total === undefined) throw typeError("reduce() of empty iterable with no initial value");
  for (let item = iterator.next(); !item.done; item = iterator.next()) total = callWith(fn, total, item.value);
  return total as PyValue;
}

function partial([fn, ...fixed]: readonly PyValue[], named: Keywords): PyFunction {
  if (fn === undefined) throw typeError("partial() takes at least one argument");
  return new PyFunction("partial", (positional, keywords) =>
    callValue(fn, [...fixed, ...positional], new Map([...named, ...keywords])),
  );
}

/** A function that memoizes its results. */
class CachedFunction extends PyFunction {
  readonly #results = new PyDict();

  constructor(fn: PyFunction) {
    super(fn.name, (positional, keywords) => {
      const named = Array.from(keywords, ([name, value]) => new PyTuple([name, value]));
      const key = new PyTuple([new PyTuple(positional), ...named]);
      const cachedResult = this.#results.get(key);
      if (cachedResult !== undefined) return cachedResult;
      const result = fn.call(positional, keywords);
      this.#results.set(key, result);
      return result;
    });
  }

  override bind(self: PyValue): PyFunction {
    return new PyBoundMethod(self, this);
  }

  override attribute(name: string): PyValue | undefined {
    if (name !== "cache_clear") return super.attribute(name);
    return new PyFunction(name, () => {
      this.#results.clear();
      return null;
    });
  }
}

function cachedFunction(fn: PyValue | undefined): PyFunction {
  if (fn instanceof PyFunction) return new CachedFunction(fn);
  throw new PyError("TypeError", "the first argument must be callable");
}

/** A value that compares with a user-defined function (`cmp_to_key`). */
class ComparedKey extends PyObject {
  readonly typeName = "K";
  readonly #fn: PyValue;
  readonly #value: PyValue;

  constructor(fn: PyValue, value: PyValue) {
    super();
    this.#fn = fn;
    this.#value = value;
  }

  override compare(other: PyValue): number | undefined {
    if (!(other instanceof ComparedKey)) return undefined;
    return Number(callValue(this.#fn, [this.#value, other.#value], NO_KEYWORDS));
  }

  override equals(other: PyValue): boolean {
    return this.compare(other) === 0;
  }

  repr(): string {
    return "<functools.KeyWrapper object at 0x7f0000000000>";
  }
}

/** Returns the function with the name and docstring of another. */
function copyFunctionMetadata(fn: PyValue, wrapped: PyValue): PyValue {
  if (!(fn instanceof PyObject)) return fn;
  for (const name of ["__name__", "__qualname__", "__doc__"]) {
    const value = findAttribute(wrapped, name);
    if (value !== undefined) fn.setAttribute(name, value);
  }
  fn.setAttribute("__wrapped__", wrapped);
  return fn;
}

const ORDERINGS = ["<", ">", "<=", ">="] as const;
const METHOD_NAMES = { "<": "__lt__", ">": "__gt__", "<=": "__le__", ">=": "__ge__" } as const;

/** Adds the missing comparison methods to a class that defines one of them and equality. */
function defineTotalOrdering(cls: PyValue): PyValue {
  if (!(cls instanceof PyClass)) throw typeError("total_ordering() needs a class");
  const definedSign = ORDERINGS.find((sign) => cls.members.has(METHOD_NAMES[sign]));
  if (definedSign === undefined) throw valueError("must define at least one ordering operation: < > <= >=");
  const method = cls.members.get(METHOD_NAMES[definedSign]) ?? null;
  for (const sign of ORDERINGS) {
    if (cls.members.has(METHOD_NAMES[sign])) continue;
    const derived = new BindablePartialMethod(METHOD_NAMES[sign], ([self = null, other = null]) => {
      const holds = callWith(method, self, other);
      return holds === NOT_IMPLEMENTED
        ? holds
        : deriveComparison(definedSign, sign, { holds: isTruthy(holds), same: () => pyEquals(self, other) });
    });
    cls.members.set(METHOD_NAMES[sign], derived);
  }
  return cls;
}

/** Derives a comparison from another one and equality. */
function deriveComparison(
  definedSign: string,
  requestedSign: string,
  { holds, same }: { holds: boolean; same: () => boolean },
): boolean {
  const isSameSide = definedSign.charAt(0) === requestedSign.charAt(0);
  const [strictOwn, strictWanted] = [definedSign.length === 1, requestedSign.length === 1];
  if (isSameSide) return strictOwn ? holds || same() : holds && !same();
  // For the opposite direction: `a > b` means neither `a < b` nor `a == b`.
  if (strictOwn) return strictWanted ? !holds && !same() : !holds;
  return strictWanted ? !holds : !holds || same();
}

/** A function that binds to the instance it is read from. */
class BindablePartialMethod extends PyFunction {
  override bind(self: PyValue): PyFunction {
    return new PyBoundMethod(self, this);
  }
}

export const FUNCTOOLS_MODULE = new PyModule(
  "functools",
  new Map<string, PyValue>([
    moduleFunctionWith(
      "reduce",
      { required: ["function", "iterable"], optional: [["initial", NOT_GIVEN]], positionalOnly: true },
      reduce,
    ),
    ["partial", new PyFunction("partial", partial)],
    moduleFunctionWith("cache", { required: ["function"] }, ([fn]) => cachedFunction(fn)),
    [
      "lru_cache",
      new PyFunction("lru_cache", ([first]) =>
        first instanceof PyFunction ? cachedFunction(first) : new PyFunction("lru_cache", ([fn]) => cachedFunction(fn)),
      ),
    ],
    moduleFunctionWith(
      "wraps",
      { required: ["wrapped"], anyKeywords: true },
      ([wrapped = null]) => new PyFunction("wraps", ([fn = null]) => copyFunctionMetadata(fn, wrapped)),
    ),
    moduleFunctionWith(
      "update_wrapper",
      { required: ["wrapper", "wrapped"], anyKeywords: true },
      ([fn = null, wrapped = null]) => copyFunctionMetadata(fn, wrapped),
    ),
    moduleFunctionWith("total_ordering", { required: ["cls"] }, ([cls = null]) => defineTotalOrdering(cls)),
    moduleFunctionWith(
      "cmp_to_key",
      { required: ["mycmp"] },
      ([compare = null]) => new PyFunction("K", ([value = null]) => new ComparedKey(compare, value)),
    ),
    moduleFunctionWith(
      "cached_property",
      { required: ["func"] },
      ([getter = null]) => new PyProperty(getter, null, true),
    ),
  ]),
  "partialmethod recursive_repr singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES",
);

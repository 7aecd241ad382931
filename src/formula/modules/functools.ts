import { findAttribute } from "../attributes.ts";
import { callValue, callWith } from "../calls.ts";
import { PyClass } from "../classes.ts";
import { PyProperty } from "../descriptors.ts";
import { PyDict } from "../dicts.ts";
import { PyError, typeError, valueError } from "../errors.ts";
import { NO_KEYWORDS, NOT_IMPLEMENTED } from "../instances.ts";
import { NOT_GIVEN } from "../signature.ts";
import { iterate, type Keywords, pyEquals, PyFunction, PyObject, PyTuple, type PyValue, truth } from "../values.ts";
import { PyBoundMethod } from "../user-functions.ts";
import { entryWith } from "./define.ts";
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

/** A function that keeps what it gave. */
class Cached extends PyFunction {
  readonly #kept = new PyDict();

  constructor(fn: PyFunction) {
    super(fn.name, (positional, keywords) => {
      const named = Array.from(keywords, ([name, value]) => new PyTuple([name, value]));
      const key = new PyTuple([new PyTuple(positional), ...named]);
      const kept = this.#kept.get(key);
      if (kept !== undefined) return kept;
      const made = fn.call(positional, keywords);
      this.#kept.set(key, made);
      return made;
    });
  }

  override bind(self: PyValue): PyFunction {
    return new PyBoundMethod(self, this);
  }

  override attribute(name: string): PyValue | undefined {
    if (name !== "cache_clear") return super.attribute(name);
    return new PyFunction(name, () => {
      this.#kept.clear();
      return null;
    });
  }
}

function cached(fn: PyValue | undefined): PyFunction {
  if (fn instanceof PyFunction) return new Cached(fn);
  throw new PyError("TypeError", "the first argument must be callable");
}

/** A value that compares as a function tells. */
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

/** The function with the name and the text of another. */
function dressAs(fn: PyValue, wrapped: PyValue): PyValue {
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

/** Gives a class that can tell one order, and equality, all the others. */
function addOrder(cls: PyValue): PyValue {
  if (!(cls instanceof PyClass)) throw typeError("total_ordering() needs a class");
  const own = ORDERINGS.find((sign) => cls.members.has(METHOD_NAMES[sign]));
  if (own === undefined) throw valueError("must define at least one ordering operation: < > <= >=");
  const method = cls.members.get(METHOD_NAMES[own]) ?? null;
  for (const sign of ORDERINGS) {
    if (cls.members.has(METHOD_NAMES[sign])) continue;
    const derived = new MethodOf(METHOD_NAMES[sign], ([self = null, other = null]) => {
      const holds = callWith(method, self, other);
      return holds === NOT_IMPLEMENTED
        ? holds
        : orderBy(own, sign, { holds: truth(holds), same: () => pyEquals(self, other) });
    });
    cls.members.set(METHOD_NAMES[sign], derived);
  }
  return cls;
}

/** What one order and equality say about another. */
function orderBy(own: string, wanted: string, { holds, same }: { holds: boolean; same: () => boolean }): boolean {
  const isSameSide = own.charAt(0) === wanted.charAt(0);
  const [strictOwn, strictWanted] = [own.length === 1, wanted.length === 1];
  if (isSameSide) return strictOwn ? holds || same() : holds && !same();
  // Of the other side: `a > b` is that neither `a < b` nor equal.
  if (strictOwn) return strictWanted ? !holds && !same() : !holds;
  return strictWanted ? !holds : !holds || same();
}

/** A function that is a method of the instance it is read from. */
class MethodOf extends PyFunction {
  override bind(self: PyValue): PyFunction {
    return new PyBoundMethod(self, this);
  }
}

/** The module `functools`. */
export const FUNCTOOLS_MODULE = new PyModule(
  "functools",
  new Map<string, PyValue>([
    entryWith(
      "reduce",
      { required: ["function", "iterable"], optional: [["initial", NOT_GIVEN]], positionalOnly: true },
      reduce,
    ),
    ["partial", new PyFunction("partial", partial)],
    entryWith("cache", { required: ["function"] }, ([fn]) => cached(fn)),
    [
      "lru_cache",
      new PyFunction("lru_cache", ([first]) =>
        first instanceof PyFunction ? cached(first) : new PyFunction("lru_cache", ([fn]) => cached(fn)),
      ),
    ],
    entryWith(
      "wraps",
      { required: ["wrapped"], anyKeywords: true },
      ([wrapped = null]) => new PyFunction("wraps", ([fn = null]) => dressAs(fn, wrapped)),
    ),
    entryWith(
      "update_wrapper",
      { required: ["wrapper", "wrapped"], anyKeywords: true },
      ([fn = null, wrapped = null]) => dressAs(fn, wrapped),
    ),
    entryWith("total_ordering", { required: ["cls"] }, ([cls = null]) => addOrder(cls)),
    entryWith(
      "cmp_to_key",
      { required: ["mycmp"] },
      ([compare = null]) => new PyFunction("K", ([value = null]) => new ComparedKey(compare, value)),
    ),
    entryWith("cached_property", { required: ["func"] }, ([getter = null]) => new PyProperty(getter, null, true)),
  ]),
  "partialmethod recursive_repr singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES",
);

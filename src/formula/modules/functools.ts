import { callValue, callWith } from "../calls.ts";
import { PyProperty } from "../descriptors.ts";
import { PyDict } from "../dicts.ts";
import { PyError, typeError } from "../errors.ts";
import { NO_KEYWORDS } from "../instances.ts";
import { NOT_GIVEN } from "../signature.ts";
import { iterate, type Keywords, PyFunction, PyObject, PyTuple, type PyValue } from "../values.ts";
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
      () => new PyFunction("wraps", ([fn = null]) => fn),
    ),
    entryWith(
      "cmp_to_key",
      { required: ["mycmp"] },
      ([compare = null]) => new PyFunction("K", ([value = null]) => new ComparedKey(compare, value)),
    ),
    entryWith("cached_property", { required: ["func"] }, ([getter = null]) => new PyProperty(getter, null, true)),
  ]),
  "partialmethod recursive_repr singledispatch singledispatchmethod total_ordering update_wrapper WRAPPER_ASSIGNMENTS WRAPPER_UPDATES",
);

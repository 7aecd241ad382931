import { spendSteps } from "../runtime/budget.ts";
import { callWith } from "../runtime/calls.ts";
import { typeError, valueError } from "../runtime/errors.ts";
import { findAttribute } from "../runtime/classes/attributes.ts";
import { PyGenerator } from "../runtime/classes/generators.ts";
import { PyInstance } from "../runtime/classes/instances.ts";
import { PyIterator, stopIteration } from "../runtime/iteration.ts";
import { PyRange } from "../runtime/collections/ranges.ts";
import { NOT_GIVEN, requireInt } from "../runtime/signature.ts";
import {
  itemsOf,
  iterate,
  type Keywords,
  PyObject,
  PyTuple,
  type PyValue,
  pyEquals,
  isTruthy,
  typeName,
} from "../runtime/values.ts";

/** `enumerate(values, start)` */
export function enumerate([values = null, start = 0n]: readonly PyValue[]): PyIterator {
  return new PyIterator("enumerate", enumerateItems(iterate(values), requireInt(start)));
}

function* enumerateItems(values: Iterator<PyValue>, start: bigint): Generator<PyValue> {
  let index = start;
  for (let item = values.next(); !item.done; item = values.next()) yield new PyTuple([index++, item.value]);
}

/** `zip(…, strict=False)` */
export function zip(positional: readonly PyValue[], keywords: Keywords): PyIterator {
  const strict = isTruthy(keywords.get("strict") ?? false);
  return new PyIterator("zip", zipSources(positional.map(iterate), strict));
}

function* zipSources(sources: readonly Iterator<PyValue>[], strict: boolean): Generator<PyValue> {
  while (sources.length > 0) {
    spendSteps(sources.length);
    const tuple: PyValue[] = [];
    for (const source of sources) {
      const next = source.next();
      if (next.done) {
        if (strict) checkExhausted(sources, tuple.length);
        return;
      }
      tuple.push(next.value);
    }
    yield new PyTuple(tuple);
  }
}

/** With `strict`, all iterables must have the same length. */
function checkExhausted(sources: readonly Iterator<PyValue>[], ended: number): void {
  if (ended > 0) throw valueError(`zip() argument ${ended + 1} is shorter than argument 1`);
  for (const [index, source] of sources.entries()) {
    if (index > 0 && !source.next().done) throw valueError(`zip() argument ${index + 1} is longer than argument 1`);
  }
}

/** `map(function, …)` */
export function map([fn, ...sources]: readonly PyValue[]): PyIterator {
  if (fn === undefined || sources.length === 0) throw typeError("map() must have at least two arguments.");
  return new PyIterator("map", mapSources(fn, sources.map(iterate)));
}

function* mapSources(fn: PyValue, sources: readonly Iterator<PyValue>[]): Generator<PyValue> {
  for (;;) {
    const args: PyValue[] = [];
    for (const source of sources) {
      const next = source.next();
      if (next.done) return;
      args.push(next.value);
    }
    yield callWith(fn, ...args);
  }
}

/** `filter(function, values)`; None selects truthy elements. */
export function filter([fn = null, values = null]: readonly PyValue[]): PyIterator {
  return new PyIterator("filter", filterSource(fn, iterate(values)));
}

function* filterSource(fn: PyValue, values: Iterator<PyValue>): Generator<PyValue> {
  for (let item = values.next(); !item.done; item = values.next()) {
    spendSteps(1);
    if (isTruthy(fn === null ? item.value : callWith(fn, item.value))) yield item.value;
  }
}

/** `reversed(values)` */
export function reversed([values = null]: readonly PyValue[]): PyValue {
  if (values instanceof PyInstance) {
    const reversedResult = values.callSpecial("__reversed__");
    if (reversedResult !== undefined) return reversedResult;
  }
  const hasOrder =
    typeof values === "string" ||
    (values instanceof PyObject && (values.items() !== undefined || values.recordKind === "set"));
  const isSet = values instanceof PyObject && /^(?:set|frozenset)$/.test(values.typeName);
  if (!hasOrder || isSet) throw typeError(`'${typeName(values)}' object is not reversible`);
  const items = itemsOf(values).toReversed();
  return new PyIterator(typeName(values) === "list" ? "list_reverseiterator" : "reversed", items[Symbol.iterator]());
}

/** `range(stop)`, `range(start, stop, step)` */
export function range(positional: readonly PyValue[]): PyRange {
  if (positional.length === 0) throw typeError("range expected at least 1 argument, got 0");
  if (positional.length > 3) throw typeError(`range expected at most 3 arguments, got ${positional.length}`);
  const [first = 0n, second, step = 1n] = positional.map(requireInt);
  return second === undefined ? new PyRange(0n, first, 1n) : new PyRange(first, second, step);
}

/** `iter(values)`, or `iter(function, end)`, which calls the function until it returns `end`. */
export function iter([values = null, end = NOT_GIVEN]: readonly PyValue[]): PyValue {
  if (end !== NOT_GIVEN) return new PyIterator("callable_iterator", callUntil(values, end));
  if (values instanceof PyIterator) return values;
  if (values instanceof PyInstance) {
    const iterator = values.callSpecial("__iter__");
    if (iterator !== undefined) return iterator;
  }
  return new PyIterator(`${typeof values === "string" ? "str" : typeName(values)}_iterator`, iterate(values));
}

function* callUntil(fn: PyValue, end: PyValue): Generator<PyValue> {
  for (let value = callWith(fn); !pyEquals(value, end); value = callWith(fn)) yield value;
}

/** `next(iterator, default)` */
export function next([iterator = null, defaultValue = NOT_GIVEN]: readonly PyValue[]): PyValue {
  const value = nextItem(iterator);
  if (value !== undefined) return value;
  if (defaultValue === NOT_GIVEN) throw stopIteration(iterator instanceof PyGenerator ? iterator.returned : null);
  return defaultValue;
}

function nextItem(iterator: PyValue): PyValue | undefined {
  if (iterator instanceof PyIterator) return iterator.next();
  if (!(iterator instanceof PyInstance) || findAttribute(iterator, "__next__") === undefined) {
    throw typeError(`'${typeName(iterator)}' object is not an iterator`);
  }
  const item = iterator.nextValues().next();
  return item.done ? undefined : item.value;
}

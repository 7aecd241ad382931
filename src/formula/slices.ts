import { spendBytes } from "./budget.ts";
import { notSupported, PyError, typeError, valueError } from "./errors.ts";
import { wantIndex } from "./signature.ts";
import { codePoints, sliceText, textLength } from "./text.ts";
import { itemsOf, PyObject, PySequence, type PyValue, typeName } from "./values.ts";

/** `value[index]` */
export function readIndex(value: PyValue, index: PyValue): PyValue {
  if (typeof value !== "string" && !(value instanceof PySequence)) {
    if (value instanceof PyObject && value.hasOperators) throw notSupported(`indexing ${typeName(value)} values`);
    throw typeError(`'${typeName(value)}' object is not subscriptable`);
  }
  if (typeof index !== "bigint" && typeof index !== "boolean") {
    throw typeError(`${typeName(value)} indices must be integers or slices, not ${typeName(index)}`);
  }
  const length = typeof value === "string" ? textLength(value) : value.items().length;
  const at = wantIndex(index) < 0 ? wantIndex(index) + length : wantIndex(index);
  if (at < 0 || at >= length) throw new PyError("IndexError", `${typeName(value)} index out of range`);
  return typeof value === "string" ? sliceText(value, at, at + 1) : (value.items()[at] ?? null);
}

/** `value[start:stop:step]`, None where one is left out. */
export function readSlice(value: PyValue, start: PyValue, stop: PyValue, step: PyValue): PyValue {
  if (typeof value === "string") {
    const range = sliceRange(textLength(value), start, stop, step);
    if (range.step === 1) return sliceText(value, range.start, Math.max(range.start, range.stop));
    return pick(codePoints(value), range).join("");
  }
  if (!(value instanceof PySequence)) throw typeError(`'${typeName(value)}' object is not subscriptable`);
  const items = itemsOf(value);
  spendBytes(items.length * 8);
  return value.of(pick(items, sliceRange(items.length, start, stop, step)));
}

interface Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

/** Where a slice of something of this length begins and ends: negative bounds count from its end, others are cut. */
export function sliceRange(length: number, start: PyValue, stop: PyValue, step: PyValue = null): Range {
  const by = step === null ? 1 : sliceBound(step);
  if (by === 0) throw valueError("slice step cannot be zero");
  const [lowest, highest] = by > 0 ? [0, length] : [-1, length - 1];
  const cut = (bound: PyValue, standard: number) => {
    if (bound === null) return standard;
    const given = sliceBound(bound);
    return Math.min(Math.max(given < 0 ? given + length : given, lowest), highest);
  };
  return { start: cut(start, by > 0 ? lowest : highest), stop: cut(stop, by > 0 ? highest : lowest), step: by };
}

function sliceBound(bound: PyValue): number {
  if (typeof bound === "bigint" || typeof bound === "boolean") return wantIndex(bound);
  throw typeError("slice indices must be integers or None or have an __index__ method");
}

function pick<T>(items: readonly T[], { start, stop, step }: Range): T[] {
  if (step === 1) return items.slice(start, Math.max(start, stop));
  const picked: T[] = [];
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) {
    const item = items[at];
    if (item !== undefined) picked.push(item);
  }
  return picked;
}

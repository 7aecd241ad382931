import { spendBytes } from "../budget.ts";
import { notSupported, PyError, typeError, valueError } from "../errors.ts";
import { requireIndex } from "../signature.ts";
import { selectRange, PySlice, sliceRange } from "./slice-values.ts";
import { codePoints, sliceText, textLength } from "../text/text.ts";
import { itemsOf, PyList, PyObject, PySequence, type PyValue, typeName } from "../values.ts";

export { sliceRange } from "./slice-values.ts";

/** Returns `value[index]`. */
export function readIndex(value: PyValue, index: PyValue): PyValue {
  if (typeof value !== "string" && !(value instanceof PySequence)) return readItem(value, index);
  if (index instanceof PySlice) return readSlice(value, index.start, index.stop, index.step);
  const length = typeof value === "string" ? textLength(value) : value.items().length;
  const at = resolveIndex(value, index, length);
  if (at < 0 || at >= length) throw indexOutOfRange(value);
  return typeof value === "string" ? sliceText(value, at, at + 1) : (value.items()[at] ?? null);
}

const indexOutOfRange = (value: PyValue) =>
  new PyError("IndexError", `${typeof value === "string" ? "string" : typeName(value)} index out of range`);

/** Resolves a negative index. */
function resolveIndex(value: PyValue, index: PyValue, length: number): number {
  const number = typeof index === "bigint" || typeof index === "boolean" ? index : indexOf(index);
  if (number === undefined) {
    const kind = typeof value === "string" ? "string" : typeName(value);
    throw typeError(
      `${kind} indices must be integers${kind === "string" ? "" : " or slices"}, not ${kind === "string" ? `'${typeName(index)}'` : typeName(index)}`,
    );
  }
  const position = requireIndex(number);
  return position < 0 ? position + length : position;
}

/** Returns the int value of an index object (`__index__`). */
const indexOf = (value: PyValue): bigint | undefined => (value instanceof PyObject ? value.index() : undefined);

function readItem(value: PyValue, index: PyValue): PyValue {
  const item = value instanceof PyObject ? value.getItem(index) : undefined;
  if (item !== undefined) return item;
  if (value instanceof PyObject && value.hasOperators) throw notSupported(`indexing ${typeName(value)} values`);
  throw typeError(`'${typeName(value)}' object is not subscriptable`);
}

/** Returns `value[start:stop:step]`; omitted bounds are None. */
export function readSlice(value: PyValue, start: PyValue, stop: PyValue, step: PyValue): PyValue {
  if (typeof value === "string") {
    const range = sliceRange(textLength(value), start, stop, step);
    if (range.step === 1) return sliceText(value, range.start, Math.max(range.start, range.stop));
    return selectRange(codePoints(value), range).join("");
  }
  if (!(value instanceof PySequence)) return readItem(value, new PySlice(start, stop, step));
  const items = itemsOf(value);
  spendBytes(items.length * 8);
  return value.withItems(selectRange(items, sliceRange(items.length, start, stop, step)));
}

/** Executes `target[index] = value`. */
export function writeIndex(target: PyValue, index: PyValue, value: PyValue): void {
  if (!(target instanceof PyList)) return writeItem(target, index, value);
  const items = target.items();
  if (index instanceof PySlice) return writeSlice(target, index, itemsOf(value));
  const at = resolveIndex(target, index, items.length);
  if (at < 0 || at >= items.length) throw new PyError("IndexError", "list assignment index out of range");
  items[at] = value;
}

function writeItem(target: PyValue, index: PyValue, value: PyValue | undefined): void {
  if (target instanceof PyObject && target.setItem(index, value)) return;
  const what = value === undefined ? "deletion" : "assignment";
  throw typeError(`'${typeName(target)}' object does not support item ${what}`);
}

function writeSlice(target: PyList, slice: PySlice, values: readonly PyValue[]): void {
  const items = target.items();
  const range = sliceRange(items.length, slice.start, slice.stop, slice.step);
  spendBytes((items.length + values.length) * 8);
  if (range.step === 1) {
    const rest = items.slice(Math.max(range.start, range.stop));
    target.replaceItems([...items.slice(0, range.start), ...values, ...rest]);
    return;
  }
  const positions = selectRange([...items.keys()], range);
  if (positions.length !== values.length) {
    const sizes = `sequence of size ${values.length} to extended slice of size ${positions.length}`;
    throw valueError(`attempt to assign ${sizes}`);
  }
  for (const [index, position] of positions.entries()) items[position] = values[index] ?? null;
}

/** Executes `del target[index]`. */
export function deleteIndex(target: PyValue, index: PyValue): void {
  if (!(target instanceof PyList)) return writeItem(target, index, undefined);
  const items = target.items();
  spendBytes(items.length * 8);
  if (index instanceof PySlice) {
    const range = sliceRange(items.length, index.start, index.stop, index.step);
    const positions = new Set(selectRange([...items.keys()], range));
    target.replaceItems(items.filter((_, position) => !positions.has(position)));
    return;
  }
  const at = resolveIndex(target, index, items.length);
  if (at < 0 || at >= items.length) throw new PyError("IndexError", "list assignment index out of range");
  items.splice(at, 1);
}

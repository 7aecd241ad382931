import { spendSteps } from "../runtime/budget.ts";
import { codePoints } from "../runtime/text/text.ts";
import { drain, PyObject, type PyValue } from "../runtime/values.ts";

/** Returns the elements of any collection or the characters of a string; undefined for other values. */
export function elementsOf(value: PyValue): readonly PyValue[] | undefined {
  if (typeof value === "string") return codePoints(value);
  if (!(value instanceof PyObject)) return undefined;
  const items = value.items();
  if (items) {
    spendSteps(items.length);
    return items;
  }
  const iterator = value.iterate();
  return iterator && drain(iterator);
}

/** Returns the arguments with collections replaced by their elements; nested collections are preserved. */
export const flatten = (args: readonly PyValue[]): PyValue[] => args.flatMap((value) => elementsOf(value) ?? [value]);

/** Returns true for ints and floats, but not for bools. */
export const isNumber = (value: PyValue): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number";

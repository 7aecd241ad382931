import { spendSteps } from "../runtime/budget.ts";
import { codePoints } from "../runtime/text/text.ts";
import { drain, PyObject, type PyValue } from "../runtime/values.ts";

/** The elements of a value, whatever kind of collection it is, a text's characters; undefined if it has none. */
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

/** The arguments, with the elements of collections in place of these; collections within them stay whole. */
export const flatten = (args: readonly PyValue[]): PyValue[] => args.flatMap((value) => elementsOf(value) ?? [value]);

/** True for ints and floats, but not for bools. */
export const isNumber = (value: PyValue): value is bigint | number =>
  typeof value === "bigint" || typeof value === "number";

import { spendSteps } from "../budget.ts";
import { typeError } from "../errors.ts";
import { intToFloat } from "../numbers.ts";
import { codePoints } from "../text.ts";
import { drain, numberOf, PyObject, type PyValue, typeName } from "../values.ts";

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

/** An argument that must be an int, a float or a bool, as a float. */
export function wantFloat(value: PyValue | undefined): number {
  const number = numberOf(value ?? null);
  if (number === undefined) throw typeError(`must be real number, not ${typeName(value ?? null)}`);
  return typeof number === "bigint" ? intToFloat(number) : number;
}

/** An argument that must be an int, a float or a bool. */
export function wantNumber(value: PyValue | undefined): bigint | number {
  const number = numberOf(value ?? null);
  if (number === undefined) throw typeError(`must be a number, not ${typeName(value ?? null)}`);
  return number;
}

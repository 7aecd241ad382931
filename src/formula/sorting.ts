import { spendBytes } from "./budget.ts";
import { isLess } from "./operators.ts";
import type { PyValue } from "./values.ts";

/** `sorted(values)`. Equal values keep their order, also when reversed. Throws PyError TypeError without an order. */
export function sortValues(values: readonly PyValue[], reverse: boolean): PyValue[] {
  spendBytes(values.length * 8);
  const order = (left: PyValue, right: PyValue) => (isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0);
  return reverse ? values.toSorted((left, right) => order(right, left)) : values.toSorted(order);
}

import { spendBytes } from "./budget.ts";
import { callWith } from "./calls.ts";
import { isLess } from "./operators.ts";
import type { PyValue } from "./values.ts";

/**
 * Returns `sorted(values, key=key)`; None for no key. The sort is stable, also when reversed. Throws PyError TypeError
 * for values without an order.
 */
export function sortValues(values: readonly PyValue[], reverse: boolean, key: PyValue = null): PyValue[] {
  spendBytes(values.length * 8);
  if (key === null) return reverse ? values.toSorted((left, right) => order(right, left)) : values.toSorted(order);
  const keyed = values.map((value) => ({ value, key: callWith(key, value) }));
  const sorted = keyed.sort((left, right) => (reverse ? order(right.key, left.key) : order(left.key, right.key)));
  return sorted.map((entry) => entry.value);
}

const order = (left: PyValue, right: PyValue): number => (isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0);

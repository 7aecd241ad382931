import type { Measured } from "./bench.ts";

/** How long work takes, in milliseconds. */
export function taken(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** The turn whose ratio to its floor is in the middle. */
export function middle(turns: readonly Measured[]): Measured {
  const ratio = ({ value, floor = 1 }: Measured) => value / floor;
  const [found] = turns.toSorted((a, b) => ratio(a) - ratio(b)).slice(turns.length >> 1);
  if (!found) throw new Error("nothing was measured");
  return found;
}

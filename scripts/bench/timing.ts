import type { Measurement } from "./bench.ts";

/** Returns the duration of the work in milliseconds. */
export function durationMs(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

/** Returns the percentile of the values. */
export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/** Returns the run with the median ratio to its baseline. */
export function medianByRatio(runs: readonly Measurement[]): Measurement {
  const ratio = ({ value, baseline = 1 }: Measurement) => value / baseline;
  const [found] = runs.toSorted((a, b) => ratio(a) - ratio(b)).slice(runs.length >> 1);
  if (!found) throw new Error("nothing was measured");
  return found;
}

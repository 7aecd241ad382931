import { sharedNumbers } from "./equality-index.ts";

/** Rows that are sorted at once, and rows that are merged between two yields: about two milliseconds each. */
const RUN_LENGTH = 2048;
const MERGED_PER_STEP = 16_384;

/**
 * Sorts the numbers below `count` in steps of a few milliseconds, with a merge sort.
 * @returns the numbers in order, in memory that threads can share
 */
export function* sortInSteps(count: number, compare: (a: number, b: number) => number): Generator<void, Uint32Array> {
  let sorted = sharedNumbers(count);
  for (let from = 0; from < count; from += RUN_LENGTH) {
    const run = sorted.subarray(from, Math.min(from + RUN_LENGTH, count));
    for (let at = 0; at < run.length; at++) run[at] = from + at;
    run.sort(compare);
    yield;
  }
  let merged = count > RUN_LENGTH ? sharedNumbers(count) : sorted;
  for (let width = RUN_LENGTH; width < count; width *= 2) {
    let written = 0;
    for (let from = 0; from < count; from += width * 2) {
      const middle = Math.min(from + width, count);
      const end = Math.min(from + width * 2, count);
      let [left, right] = [from, middle];
      while (left < middle || right < end) {
        const takesLeft = right >= end || (left < middle && compare(sorted[left] ?? 0, sorted[right] ?? 0) <= 0);
        merged[written++] = sorted[takesLeft ? left++ : right++] ?? 0;
        if (written % MERGED_PER_STEP === 0) yield;
      }
    }
    [sorted, merged] = [merged, sorted];
  }
  return sorted;
}

import { expect, test } from "bun:test";
import {
  addMeasurements,
  BOUNDS_SECONDS,
  count,
  emptyHistogram,
  measurements,
  noteSince,
  observe,
  takeMeasurements,
} from "../../src/lib/measurements.ts";

test("a duration counts up to the bound that it does not exceed, beyond all bounds at the end", () => {
  const histogram = emptyHistogram();
  for (const seconds of [0, 0.0001, 0.00011, 60, 61, 1e9]) observe(histogram, seconds);
  const expected = BOUNDS_SECONDS.map((bound) => ({ 0.0001: 2, 0.0005: 1, 60: 1 })[bound] ?? 0);
  expect(histogram.counts).toEqual([...expected, 2]);
  expect(histogram.sumSeconds).toBeCloseTo(1e9 + 121.00021, 4);
});

test("bounds rise", () => {
  expect(BOUNDS_SECONDS.toSorted((a, b) => a - b)).toEqual([...BOUNDS_SECONDS]);
  expect(new Set(BOUNDS_SECONDS).size).toBe(BOUNDS_SECONDS.length);
});

test("what a thread takes survives being sent, and adds up in another one; taking begins anew", () => {
  takeMeasurements();
  count("sqliteBusy", 2);
  noteSince("documentCommit", performance.now() - 300);
  const sent = structuredClone(takeMeasurements());
  expect(measurements()).toEqual({ counts: {}, durations: {} });

  count("sqliteBusy");
  count("logErrors");
  noteSince("documentCommit", performance.now() - 300);
  noteSince("homeCommit", performance.now());
  addMeasurements(sent);
  addMeasurements({ counts: {}, durations: {} });
  const { counts, durations } = measurements();
  expect(counts).toEqual({ sqliteBusy: 3, logErrors: 1 });
  const { counts: commits = [], sumSeconds = 0 } = durations.documentCommit ?? {};
  expect(commits.reduce((a, b) => a + b)).toBe(2);
  expect(sumSeconds).toBeGreaterThan(0.59);
  expect(sent.durations.documentCommit?.counts.reduce((a, b) => a + b)).toBe(1);
  expect(durations.homeCommit?.counts.reduce((a, b) => a + b)).toBe(1);
});

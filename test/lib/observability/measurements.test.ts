import { expect, test } from "bun:test";
import {
  mergeMeasurements,
  BUCKET_BOUNDS_SECONDS,
  incrementCounter,
  emptyHistogram,
  measurements,
  recordDurationSince,
  observe,
  drainMeasurements,
} from "../../../src/lib/observability/measurements.ts";

test("a duration counts in the first bucket whose bound it does not exceed, or in the last one", () => {
  const histogram = emptyHistogram();
  for (const seconds of [0, 0.0001, 0.00011, 60, 61, 1e9]) observe(histogram, seconds);
  const expected = BUCKET_BOUNDS_SECONDS.map((bound) => ({ 0.0001: 2, 0.0005: 1, 60: 1 })[bound] ?? 0);
  expect(histogram.counts).toEqual([...expected, 2]);
  expect(histogram.sumSeconds).toBeCloseTo(1e9 + 121.00021, 4);
});

test("bounds are ascending", () => {
  expect(BUCKET_BOUNDS_SECONDS.toSorted((a, b) => a - b)).toEqual([...BUCKET_BOUNDS_SECONDS]);
  expect(new Set(BUCKET_BOUNDS_SECONDS).size).toBe(BUCKET_BOUNDS_SECONDS.length);
});

test("taken measurements can be posted and added in another thread; taking resets them", () => {
  drainMeasurements();
  incrementCounter("sqliteBusy", 2);
  recordDurationSince("documentCommit", performance.now() - 300);
  const sent = structuredClone(drainMeasurements());
  expect(measurements()).toEqual({ counts: {}, durations: {} });

  incrementCounter("sqliteBusy");
  incrementCounter("logErrors");
  recordDurationSince("documentCommit", performance.now() - 300);
  recordDurationSince("homeCommit", performance.now());
  mergeMeasurements(sent);
  mergeMeasurements({ counts: {}, durations: {} });
  const { counts, durations } = measurements();
  expect(counts).toEqual({ sqliteBusy: 3, logErrors: 1 });
  const { counts: commits = [], sumSeconds = 0 } = durations.documentCommit ?? {};
  expect(commits.reduce((a, b) => a + b)).toBe(2);
  expect(sumSeconds).toBeGreaterThan(0.59);
  expect(sent.durations.documentCommit?.counts.reduce((a, b) => a + b)).toBe(1);
  expect(durations.homeCommit?.counts.reduce((a, b) => a + b)).toBe(1);
});

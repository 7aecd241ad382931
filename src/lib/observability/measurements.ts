/**
 * What this thread counts and times while it works. Each thread has its own; what others took is added to that of the
 * main thread, which shows it. Plain data, so that it can be sent from one to another.
 */

export type CounterName =
  /** The database was locked by somebody else for longer than is waited. */
  | "sqliteBusy"
  /** A thread of documents ended of itself, or had to be ended. */
  | "threadsLost"
  | "webhooksDelivered"
  | "webhooksFailed"
  | "logWarnings"
  | "logErrors"
  /** Lines that stderr did not take. */
  | "logLinesDropped";

export type DurationName =
  /** Waiting for the right to write, by kind of database. */
  | "homeLock"
  | "documentLock"
  | "homeCommit"
  | "documentCommit"
  /** Computing what a change makes due. */
  | "recalculation"
  | "webhookDelivery";

/** How often something took how long. */
export interface Histogram {
  /** How many took no longer than the bound of the same place and longer than the one before; at the end, all others. */
  readonly counts: number[];
  sumSeconds: number;
}

export interface Measurements {
  readonly counts: Partial<Record<CounterName, number>>;
  readonly durations: Partial<Record<DurationName, Histogram>>;
}

/** Upper bounds of all histograms, in seconds: from a read out of memory to an import. */
export const BUCKET_BOUNDS_SECONDS: readonly number[] = [
  0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60,
];

/** A histogram of nothing. */
export const emptyHistogram = (): Histogram => ({
  counts: Array.from({ length: BUCKET_BOUNDS_SECONDS.length + 1 }, () => 0),
  sumSeconds: 0,
});

/** Adds one duration. Takes some nanoseconds and makes no objects. */
export function observe(histogram: Histogram, seconds: number): void {
  let bucket = 0;
  while (bucket < BUCKET_BOUNDS_SECONDS.length && seconds > (BUCKET_BOUNDS_SECONDS[bucket] ?? 0)) bucket++;
  histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
  histogram.sumSeconds += seconds;
}

let counters: Partial<Record<CounterName, number>> = {};
let histograms: Partial<Record<DurationName, Histogram>> = {};

/** Counts something that happened in this thread. */
export function incrementCounter(name: CounterName, amount = 1): void {
  counters[name] = (counters[name] ?? 0) + amount;
}

/** Notes how long something took in this thread, from a time of `performance.now()` until now. */
export function recordDurationSince(name: DurationName, startMs: number): void {
  observe((histograms[name] ??= emptyHistogram()), (performance.now() - startMs) / 1000);
}

/** What this thread has measured since the start, or since it was taken. It goes on changing. */
export const measurements = (): Measurements => ({ counts: counters, durations: histograms });

/** As `measurements`, once: this thread begins anew. For a thread that tells another one. */
export function drainMeasurements(): Measurements {
  const drained = { counts: counters, durations: histograms };
  counters = {};
  histograms = {};
  return drained;
}

/** Adds what another thread took to what this one has. */
export function mergeMeasurements(other: Measurements): void {
  for (const [name, by] of Object.entries(other.counts) as [CounterName, number][]) incrementCounter(name, by);
  for (const [name, more] of Object.entries(other.durations) as [DurationName, Histogram][]) {
    const histogram = (histograms[name] ??= emptyHistogram());
    for (const [bucket, by] of more.counts.entries()) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + by;
    histogram.sumSeconds += more.sumSeconds;
  }
}

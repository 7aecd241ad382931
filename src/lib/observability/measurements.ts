/**
 * Counters and histograms of this thread. Worker threads send theirs to the main thread, which adds and exposes them.
 * Plain data, so that it can be posted between threads.
 */

export type CounterName =
  /** The database was locked for longer than the busy timeout. */
  | "sqliteBusy"
  /** A worker thread of documents crashed, or was terminated. */
  | "threadsLost"
  | "webhooksDelivered"
  | "webhooksFailed"
  /** Attempts to send an email. */
  | "emailsSent"
  | "emailsFailed"
  /** Jobs that ended, whatever their result. */
  | "jobsEnded"
  /** Reads that were answered with an index, and reads of large tables that had none. */
  | "indexHits"
  | "indexMisses"
  /** The indexes of open documents, and their memory: these also decrease. */
  | "indexCount"
  | "indexBytes"
  /** Indexes whose build began. */
  | "indexBuilds"
  | "logWarnings"
  | "logErrors"
  /** Lines that could not be written to stderr. */
  | "logLinesDropped"
  /** New certificates that were loaded. */
  | "tlsReloads"
  | "tlsReloadsFailed"
  /** Bytes of commits in the replicated log, compressed. */
  | "logBytesAppended"
  /** Commits that are not acknowledged by the replicated log, and documents that this node owns: these also decrease. */
  | "logCommitsPending"
  | "documentsOwned"
  /** Documents that this node began to own, gave up, and lost to another node or with its lease. */
  | "ownershipsGained"
  | "ownershipsReleased"
  | "ownershipsLost"
  /** Requests that another node answered, and requests of other nodes that this one answered. */
  | "requestsProxiedOut"
  | "requestsProxiedIn";

export type GaugeName =
  /** When the TLS certificate expires, as a Unix timestamp. */
  "tlsCertificateExpiry";

export type DurationName =
  /** Time to acquire the write lock, by kind of database. */
  | "homeLock"
  | "documentLock"
  | "homeCommit"
  | "documentCommit"
  /** Recomputing dirty cells after a change. */
  | "recalculation"
  | "webhookDelivery"
  /** Appending commits to the replicated log. */
  | "logAppend";

/** A histogram of durations. */
export interface Histogram {
  /** Number of durations in each bucket (not cumulative); the last one counts all beyond the highest bound. */
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

/** Returns an empty histogram. */
export const emptyHistogram = (): Histogram => ({
  counts: Array.from({ length: BUCKET_BOUNDS_SECONDS.length + 1 }, () => 0),
  sumSeconds: 0,
});

/** Adds one duration. Takes some nanoseconds and allocates nothing. */
export function observe(histogram: Histogram, seconds: number): void {
  let bucket = 0;
  while (bucket < BUCKET_BOUNDS_SECONDS.length && seconds > (BUCKET_BOUNDS_SECONDS[bucket] ?? 0)) bucket++;
  histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1;
  histogram.sumSeconds += seconds;
}

let counters: Partial<Record<CounterName, number>> = {};
let histograms: Partial<Record<DurationName, Histogram>> = {};

const gaugeValues: Partial<Record<GaugeName, number>> = {};

/** Sets a value of the process. Only for the main thread: values of worker threads are not collected. */
export function setGauge(name: GaugeName, value: number): void {
  gaugeValues[name] = value;
}

/** The values of the process. */
export const gauges = (): Readonly<Partial<Record<GaugeName, number>>> => gaugeValues;

/** Increments a counter of this thread. */
export function incrementCounter(name: CounterName, amount = 1): void {
  counters[name] = (counters[name] ?? 0) + amount;
}

/** Records a duration in this thread, from a time of `performance.now()` until now. */
export function recordDurationSince(name: DurationName, startMs: number): void {
  observe((histograms[name] ??= emptyHistogram()), (performance.now() - startMs) / 1000);
}

/** The live measurements of this thread since the start or the last `takeMeasurements`. */
export const measurements = (): Measurements => ({ counts: counters, durations: histograms });

/** Returns the measurements and resets them. For worker threads, which send them to the main thread. */
export function drainMeasurements(): Measurements {
  const drained = { counts: counters, durations: histograms };
  counters = {};
  histograms = {};
  return drained;
}

/** Adds the measurements of another thread to those of this one. */
export function mergeMeasurements(other: Measurements): void {
  for (const [name, by] of Object.entries(other.counts) as [CounterName, number][]) incrementCounter(name, by);
  for (const [name, more] of Object.entries(other.durations) as [DurationName, Histogram][]) {
    const histogram = (histograms[name] ??= emptyHistogram());
    for (const [bucket, by] of more.counts.entries()) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + by;
    histogram.sumSeconds += more.sumSeconds;
  }
}

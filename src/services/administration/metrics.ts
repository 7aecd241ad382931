import { VERSION } from "../../lib/build.ts";
import { type DurationName, type Measurements, measurements } from "../../lib/observability/measurements.ts";
import { diskSpace, readProcessMetrics } from "../../lib/observability/process-metrics.ts";
import type { Metric, Sample } from "../../lib/observability/prometheus-text.ts";
import type { Context } from "../context.ts";

/** What is told of a metric besides its figures. */
type MetricDescription = Omit<Metric, "name" | "samples">;

const counter = (help: string): MetricDescription => ({ type: "counter", help });
const gauge = (help: string): MetricDescription => ({ type: "gauge", help });
const histogram = (help: string): MetricDescription => ({ type: "histogram", help });

/** Every metric, in the order that they are shown; the page of documentation is made of it. */
export const METRICS = {
  quern_build_info: gauge("Always 1; the label tells the version."),
  quern_http_requests_total: counter("Requests answered, by method, route and status."),
  quern_http_request_duration_seconds: histogram(
    "Time until the answer to a request began, by method and route. What is streamed afterwards does not count.",
  ),
  quern_http_requests_in_flight: gauge("Requests whose answer has not begun."),
  quern_event_streams_open: gauge("Streams of server-sent events that somebody reads."),
  quern_documents_open: gauge("Documents that are open."),
  quern_document_threads: gauge("Threads that hold documents."),
  quern_document_threads_crashed_total: counter(
    "Threads of documents that ended by a failure, or hung and were ended.",
  ),
  quern_formula_recalculation_duration_seconds: histogram(
    "Time that changes took to find and compute what they make due.",
  ),
  quern_sqlite_lock_wait_duration_seconds: histogram(
    "Time until a transaction had the right to write, by kind of database.",
  ),
  quern_sqlite_commit_duration_seconds: histogram(
    "Time that commits took, waiting for the disk included, by kind of database.",
  ),
  quern_sqlite_busy_total: counter("Times that a database was locked for too long, so that a request was refused."),
  quern_sql_processes: gauge("Processes that run SQL queries, by state: busy, idle."),
  quern_sql_queries_queued: gauge("SQL queries that wait for a process."),
  quern_webhook_events_queued: gauge("Events that wait to be delivered, as of the last look into each document."),
  quern_webhook_documents_pending: gauge("Documents that have something to deliver, or had a moment ago."),
  quern_webhook_deliveries_in_flight: gauge("Webhooks that are being called."),
  quern_webhook_deliveries_total: counter("Tries to deliver, by outcome: delivered, failed."),
  quern_webhook_delivery_duration_seconds: histogram("Time that receivers of webhooks took to answer, or not to."),
  quern_backup_last_success_timestamp_seconds: gauge(
    "When the newest backup was made that is known of, in seconds since 1970.",
  ),
  quern_backup_last_failure_timestamp_seconds: gauge(
    "When a backup failed last since the start, in seconds since 1970.",
  ),
  quern_log_messages_total: counter("Warnings and errors, by level: warn, error."),
  quern_log_lines_dropped_total: counter(
    "Lines of the log that stderr did not take: its disk is full, or nobody reads.",
  ),
  quern_data_disk_free_bytes: gauge("Room left on the disk that holds the data folder."),
  quern_data_disk_size_bytes: gauge("Size of the disk that holds the data folder."),
  quern_memory_anonymous_bytes: gauge("Memory of the process that is no part of a file."),
  process_resident_memory_bytes: gauge("Memory of the process, parts of files included."),
  process_cpu_seconds_total: counter("Time that the process has worked, on all cores."),
  process_start_time_seconds: gauge("When the process was started, in seconds since 1970."),
  process_threads: gauge("Threads of the process."),
  process_open_fds: gauge("Files and connections that are open."),
  process_max_fds: gauge("Files and connections that may be open."),
} as const satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;

/** Figures that are known elsewhere, by metric. */
export type SamplesByMetric = Partial<Record<MetricName, readonly Sample[]>>;

/**
 * All metrics with their figures of this moment.
 * @param folder the data folder
 * @param extraSamples what only the caller knows
 */
export async function readMetrics(ctx: Context, folder: string, extraSamples: SamplesByMetric): Promise<Metric[]> {
  // First, since documents hand over what they measured.
  const { open, threads } = await ctx.documents.measure();
  const recorded = measurements();
  const samples: SamplesByMetric = {
    quern_build_info: [{ labels: { version: VERSION }, value: 1 }],
    quern_documents_open: singleSample(open),
    quern_document_threads: singleSample(threads),
    ...recordedSamples(recorded),
    ...sqlSamples(ctx),
    ...webhookSamples(ctx, recorded),
    ...backupSamples(ctx),
    ...processSamples(folder),
    ...extraSamples,
  };
  return (Object.entries(METRICS) as [MetricName, MetricDescription][]).map(([name, description]) => ({
    name,
    ...description,
    samples: samples[name] ?? [],
  }));
}

const singleSample = (value: number | null): readonly Sample[] => (value === null ? [] : [{ value }]);

function recordedSamples({ counts, durations }: Measurements): SamplesByMetric {
  const durationSamples = (name: DurationName, labels?: Sample["labels"]): Sample[] => {
    const value = durations[name];
    return value ? [{ value, ...(labels && { labels }) }] : [];
  };
  const byDatabase = (what: "Lock" | "Commit") =>
    (["home", "document"] as const).flatMap((database) => durationSamples(`${database}${what}`, { database }));
  return {
    quern_document_threads_crashed_total: singleSample(counts.threadsLost ?? 0),
    quern_formula_recalculation_duration_seconds: durationSamples("recalculation"),
    quern_sqlite_lock_wait_duration_seconds: byDatabase("Lock"),
    quern_sqlite_commit_duration_seconds: byDatabase("Commit"),
    quern_sqlite_busy_total: singleSample(counts.sqliteBusy ?? 0),
    quern_webhook_delivery_duration_seconds: durationSamples("webhookDelivery"),
    quern_log_messages_total: [
      { labels: { level: "warn" }, value: counts.logWarnings ?? 0 },
      { labels: { level: "error" }, value: counts.logErrors ?? 0 },
    ],
    quern_log_lines_dropped_total: singleSample(counts.logLinesDropped ?? 0),
  };
}

function sqlSamples({ sql }: Context): SamplesByMetric {
  const { busy, idle, waiting } = sql.load();
  return {
    quern_sql_processes: [
      { labels: { state: "busy" }, value: busy },
      { labels: { state: "idle" }, value: idle },
    ],
    quern_sql_queries_queued: singleSample(waiting),
  };
}

function webhookSamples({ webhooks }: Context, { counts }: Measurements): SamplesByMetric {
  const { documents, waiting, underWay } = webhooks.load();
  return {
    quern_webhook_events_queued: singleSample(waiting),
    quern_webhook_documents_pending: singleSample(documents),
    quern_webhook_deliveries_in_flight: singleSample(underWay),
    quern_webhook_deliveries_total: [
      { labels: { outcome: "delivered" }, value: counts.webhooksDelivered ?? 0 },
      { labels: { outcome: "failed" }, value: counts.webhooksFailed ?? 0 },
    ],
  };
}

function backupSamples({ backups }: Context): SamplesByMetric {
  const { lastSuccess, lastFailure } = backups.status();
  const seconds = (at: number | undefined) => singleSample(at === undefined ? null : at / 1000);
  return {
    quern_backup_last_success_timestamp_seconds: seconds(lastSuccess?.at),
    quern_backup_last_failure_timestamp_seconds: seconds(lastFailure?.at),
  };
}

function processSamples(folder: string): SamplesByMetric {
  const processMetrics = readProcessMetrics();
  const disk = diskSpace(folder);
  return {
    quern_data_disk_free_bytes: singleSample(disk && disk.freeBytes),
    quern_data_disk_size_bytes: singleSample(disk && disk.sizeBytes),
    quern_memory_anonymous_bytes: singleSample(processMetrics.anonymousBytes),
    process_resident_memory_bytes: singleSample(processMetrics.residentBytes),
    process_cpu_seconds_total: singleSample(processMetrics.cpuSeconds),
    process_start_time_seconds: singleSample(processMetrics.startTimeSeconds),
    process_threads: singleSample(processMetrics.threads),
    process_open_fds: singleSample(processMetrics.openFiles),
    process_max_fds: singleSample(processMetrics.maxOpenFiles),
  };
}

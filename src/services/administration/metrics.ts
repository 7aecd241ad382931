import { VERSION } from "../../lib/build.ts";
import { type DurationName, type Measurements, measurements } from "../../lib/observability/measurements.ts";
import { diskSpace, readProcessMetrics } from "../../lib/observability/process-metrics.ts";
import type { Metric, Sample } from "../../lib/observability/prometheus-text.ts";
import type { Context } from "../context.ts";

/** A metric's description, without its samples. */
type MetricDescription = Omit<Metric, "name" | "samples">;

const counter = (help: string): MetricDescription => ({ type: "counter", help });
const gauge = (help: string): MetricDescription => ({ type: "gauge", help });
const histogram = (help: string): MetricDescription => ({ type: "histogram", help });

/** All metrics, in order of output; the documentation page is generated from this table. */
export const METRICS = {
  quern_build_info: gauge("Always 1; the label is the version."),
  quern_http_requests_total: counter("Requests, by method, route and status."),
  quern_http_request_duration_seconds: histogram(
    "Time until the response began, by method and route, excluding the time to stream it.",
  ),
  quern_http_requests_in_flight: gauge("Requests whose response has not begun."),
  quern_event_streams_open: gauge("Open streams of server-sent events."),
  quern_documents_open: gauge("Open documents."),
  quern_document_threads: gauge("Worker threads of documents."),
  quern_document_threads_crashed_total: counter("Worker threads that crashed, or hung and were terminated."),
  quern_formula_recalculation_duration_seconds: histogram("Time to recalculate the formulas that changes affect."),
  quern_sqlite_lock_wait_duration_seconds: histogram(
    "Time to acquire the write lock of a transaction, by kind of database.",
  ),
  quern_sqlite_commit_duration_seconds: histogram(
    "Duration of commits, including the sync to disk, by kind of database.",
  ),
  quern_sqlite_busy_total: counter("Requests refused because a database was locked for too long."),
  quern_sql_processes: gauge("Processes for SQL queries, by state: busy, idle."),
  quern_sql_queries_queued: gauge("Queued SQL queries."),
  quern_webhook_events_queued: gauge("Queued webhook events, as of the last check of each document."),
  quern_webhook_documents_pending: gauge("Documents that have, or recently had, queued events."),
  quern_webhook_deliveries_in_flight: gauge("Deliveries in progress."),
  quern_webhook_deliveries_total: counter("Delivery attempts, by outcome: delivered, failed."),
  quern_webhook_delivery_duration_seconds: histogram("Time until receivers of webhooks responded or failed."),
  quern_backup_last_success_timestamp_seconds: gauge("Time of the newest known backup, as a Unix timestamp."),
  quern_backup_last_failure_timestamp_seconds: gauge(
    "Time of the last backup failure since the start, as a Unix timestamp.",
  ),
  quern_log_messages_total: counter("Logged warnings and errors, by level: warn, error."),
  quern_log_lines_dropped_total: counter(
    "Log lines that could not be written to stderr: its disk is full, or it has no reader.",
  ),
  quern_data_disk_free_bytes: gauge("Free space of the disk of the data folder."),
  quern_data_disk_size_bytes: gauge("Size of the disk of the data folder."),
  quern_memory_anonymous_bytes: gauge("Resident memory without file mappings."),
  process_resident_memory_bytes: gauge("Resident memory, including file mappings."),
  process_cpu_seconds_total: counter("CPU time of the process, on all cores."),
  process_start_time_seconds: gauge("Start time of the process, as a Unix timestamp."),
  process_threads: gauge("Threads of the process."),
  process_open_fds: gauge("Open file descriptors."),
  process_max_fds: gauge("Maximum number of open file descriptors."),
} as const satisfies Record<string, MetricDescription>;

export type MetricName = keyof typeof METRICS;

/** Samples that other components provide, by metric. */
export type SamplesByMetric = Partial<Record<MetricName, readonly Sample[]>>;

/**
 * Returns all metrics with their current samples.
 * @param folder the data folder
 * @param extraSamples samples that only the caller has
 */
export async function readMetrics(ctx: Context, folder: string, extraSamples: SamplesByMetric): Promise<Metric[]> {
  // First, since this collects the measurements of document workers.
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

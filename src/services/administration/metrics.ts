import { VERSION } from "../../lib/build.ts";
import { type DurationName, gauges, type Measurements, measurements } from "../../lib/observability/measurements.ts";
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
  quern_document_reader_threads: gauge("Threads that read documents beside changes."),
  quern_document_wal_bytes: gauge("Total size of the write-ahead logs of open documents."),
  quern_document_threads_crashed_total: counter("Worker threads that crashed, or hung and were terminated."),
  quern_formula_recalculation_duration_seconds: histogram("Time to recalculate the formulas that changes affect."),
  quern_indexes: gauge("Indexes of open documents, including those being built."),
  quern_index_memory_bytes: gauge("Memory of the indexes of open documents."),
  quern_index_builds_total: counter("Indexes whose build began."),
  quern_index_reads_total: counter(
    "Reads that an index could answer, by result: hit, miss. A miss read a whole table with at least 5,000 rows.",
  ),
  quern_sqlite_lock_wait_duration_seconds: histogram(
    "Time to acquire the write lock of a transaction, by kind of database.",
  ),
  quern_sqlite_commit_duration_seconds: histogram(
    "Duration of commits, including the sync to disk, by kind of database.",
  ),
  quern_sqlite_busy_total: counter("Requests refused because a database was locked for too long."),
  quern_sql_processes: gauge("Processes for SQL queries, by state: busy, idle."),
  quern_sql_queries_queued: gauge("Queued SQL queries."),
  quern_temporary_bytes: gauge("Size of all temporary files; `QUERN_TEMP_BYTES` limits it."),
  quern_webhook_events_queued: gauge("Queued webhook events, as of the last check of each document."),
  quern_webhook_documents_pending: gauge("Documents that have, or recently had, queued events."),
  quern_webhook_deliveries_in_flight: gauge("Deliveries in progress."),
  quern_webhook_deliveries_total: counter("Delivery attempts, by outcome: delivered, failed."),
  quern_webhook_delivery_duration_seconds: histogram("Time until receivers of webhooks responded or failed."),
  quern_emails_queued: gauge("Emails that wait to be sent."),
  quern_emails_total: counter("Attempts to send an email, by outcome: sent, failed."),
  quern_form_answers_total: counter(
    "Answers to published forms, by outcome: accepted, refused (for their content, or a closed form), limited (too many), trapped (by the hidden field for programs).",
  ),
  quern_job_documents_active: gauge("Documents with unfinished jobs."),
  quern_jobs_ended_total: counter("Jobs that ended, whatever their result."),
  quern_replicated_log_usable: gauge(
    "1 while requests can be answered, 0 while PostgreSQL or the lease is lost; with a log only.",
  ),
  quern_replicated_log_commits_pending: gauge("Commits that are not yet in the replicated log; with a log only."),
  quern_replicated_log_append_duration_seconds: histogram(
    "Time to append commits to the replicated log; with a log only.",
  ),
  quern_replicated_log_appended_bytes_total: counter(
    "Size of the commits in the replicated log, compressed; with a log only.",
  ),
  quern_cluster_documents_owned: gauge("Documents that this server owns, including `home`; with a log only."),
  quern_cluster_ownership_changes_total: counter(
    "Documents that this server began to own, gave up, or lost with its lease or to another server, by change: gained, released, lost; with a log only.",
  ),
  quern_cluster_requests_proxied_total: counter(
    "Requests between nodes, by direction: sent to the owner, received from another node; with a log only.",
  ),
  quern_backup_last_success_timestamp_seconds: gauge("Time of the newest known backup, as a Unix timestamp."),
  quern_backup_last_failure_timestamp_seconds: gauge(
    "Time of the last backup failure since the start, as a Unix timestamp.",
  ),
  quern_log_messages_total: counter("Logged warnings and errors, by level: warn, error."),
  quern_log_lines_dropped_total: counter(
    "Log lines that could not be written to stderr: its disk is full, or it has no reader.",
  ),
  quern_tls_certificate_expiry_timestamp_seconds: gauge(
    "Expiry time of the certificate in use, as a Unix timestamp; with QUERN_TLS_CERT only.",
  ),
  quern_tls_reloads_total: counter(
    "Changes of the certificate's files, by outcome: succeeded, failed; with QUERN_TLS_CERT only.",
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
  const { open, threads, readers, logBytes } = await ctx.documents.measure();
  const recorded = measurements();
  const samples: SamplesByMetric = {
    quern_build_info: [{ labels: { version: VERSION }, value: 1 }],
    quern_documents_open: singleSample(open),
    quern_document_threads: singleSample(threads),
    quern_document_reader_threads: singleSample(readers),
    quern_document_wal_bytes: singleSample(logBytes),
    ...recordedSamples(recorded),
    ...sqlSamples(ctx),
    quern_temporary_bytes: singleSample(ctx.temporary.usedBytes()),
    ...webhookSamples(ctx, recorded),
    ...formSamples(ctx),
    ...emailSamples(ctx, recorded),
    ...logSamples(ctx, recorded),
    ...backupSamples(ctx),
    ...tlsSamples(recorded),
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
    quern_indexes: singleSample(counts.indexCount ?? 0),
    quern_index_memory_bytes: singleSample(counts.indexBytes ?? 0),
    quern_index_builds_total: singleSample(counts.indexBuilds ?? 0),
    quern_index_reads_total: [
      { labels: { result: "hit" }, value: counts.indexHits ?? 0 },
      { labels: { result: "miss" }, value: counts.indexMisses ?? 0 },
    ],
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

function webhookSamples({ webhooks, jobs }: Context, { counts }: Measurements): SamplesByMetric {
  const { documents, waiting, underWay } = webhooks.load();
  return {
    quern_job_documents_active: singleSample(jobs.activeCount),
    quern_jobs_ended_total: singleSample(counts.jobsEnded ?? 0),
    quern_webhook_events_queued: singleSample(waiting),
    quern_webhook_documents_pending: singleSample(documents),
    quern_webhook_deliveries_in_flight: singleSample(underWay),
    quern_webhook_deliveries_total: [
      { labels: { outcome: "delivered" }, value: counts.webhooksDelivered ?? 0 },
      { labels: { outcome: "failed" }, value: counts.webhooksFailed ?? 0 },
    ],
  };
}

const formSamples = ({ answerLimits: { counts } }: Context): SamplesByMetric => ({
  quern_form_answers_total: Object.entries(counts).map(([outcome, value]) => ({
    labels: { outcome },
    value: value as number,
  })),
});

const emailSamples = ({ email }: Context, { counts }: Measurements): SamplesByMetric => ({
  quern_emails_queued: singleSample(email.status().waiting),
  quern_emails_total: [
    { labels: { outcome: "sent" }, value: counts.emailsSent ?? 0 },
    { labels: { outcome: "failed" }, value: counts.emailsFailed ?? 0 },
  ],
});

function logSamples({ replication }: Context, { counts, durations }: Measurements): SamplesByMetric {
  if (!replication) return {};
  const { logAppend } = durations;
  return {
    quern_replicated_log_usable: singleSample(replication.refusal() ? 0 : 1),
    quern_replicated_log_commits_pending: singleSample(counts.logCommitsPending ?? 0),
    quern_replicated_log_append_duration_seconds: logAppend ? [{ value: logAppend }] : [],
    quern_replicated_log_appended_bytes_total: singleSample(counts.logBytesAppended ?? 0),
    quern_cluster_documents_owned: singleSample(counts.documentsOwned ?? 0),
    quern_cluster_ownership_changes_total: [
      { labels: { change: "gained" }, value: counts.ownershipsGained ?? 0 },
      { labels: { change: "released" }, value: counts.ownershipsReleased ?? 0 },
      { labels: { change: "lost" }, value: counts.ownershipsLost ?? 0 },
    ],
    quern_cluster_requests_proxied_total: [
      { labels: { direction: "sent" }, value: counts.requestsProxiedOut ?? 0 },
      { labels: { direction: "received" }, value: counts.requestsProxiedIn ?? 0 },
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

function tlsSamples({ counts }: Measurements): SamplesByMetric {
  const { tlsCertificateExpiry: expiry } = gauges();
  if (expiry === undefined) return {};
  return {
    quern_tls_certificate_expiry_timestamp_seconds: singleSample(expiry),
    quern_tls_reloads_total: [
      { labels: { outcome: "succeeded" }, value: counts.tlsReloads ?? 0 },
      { labels: { outcome: "failed" }, value: counts.tlsReloadsFailed ?? 0 },
    ],
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

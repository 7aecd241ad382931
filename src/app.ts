/** The composition root: connects all components, for `serve` and for the API tests. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Snapshots, SnapshotStore } from "./backup/snapshots.ts";
import { requireNoUnfinishedRestore } from "./backup/restore-in-progress.ts";
import { bucketSettings, createBackupSchedule } from "./composition/buckets-and-backups.ts";
import { createEmail } from "./composition/email.ts";
import { startMaintenance } from "./composition/maintenance.ts";
import { sweepTemporaryFiles } from "./composition/temporary-files.ts";
import { pagesUrl } from "./composition/pages-url.ts";
import { noteDeliverer, noteWriter, requestLog, type StartedReplication } from "./composition/replication.ts";
import type { Config } from "./config.ts";
import { AppError } from "./errors.ts";
import { AttachmentStores, type LoggedContents } from "./files/attachment-stores.ts";
import { AttachmentTransfers } from "./files/attachment-transfers.ts";
import { openHome, type Home } from "./home/home.ts";
import { INSTALLATION_SECRETS } from "./home/secrets.ts";
import { inspectHome } from "./home/home-upgrade.ts";
import { ChangeNotifier } from "./hosts/change-notifier.ts";
import type { Documents } from "./hosts/documents.ts";
import type { DocumentRuntime, RuntimeCallbacks, RuntimeOptions } from "./hosts/document-runtime.ts";
import { replicateDocuments } from "./hosts/replicated-documents.ts";
import { createLazyRuntime } from "./hosts/lazy-runtime.ts";
import { createStoredDocuments } from "./hosts/stored-documents.ts";
import { WorkerRuntime } from "./hosts/threads/worker-runtime.ts";
import { observeDocuments } from "./hosts/observed-documents.ts";
import { describeApi } from "./http/openapi.ts";
import { routes } from "./http/routes.ts";
import { createHttpServer, type Connection } from "./http/server.ts";
import { PAGE_REQUESTS } from "./http/page-requests.ts";
import { systemClock, type Clock } from "./lib/time/clock.ts";
import { silentLog, type Log } from "./lib/observability/log.ts";
import { ClockJumpDetector } from "./lib/time/clock-jump-detector.ts";
import { TemporarySpace } from "./lib/temporary-space.ts";
import { systemTimers, type Timers } from "./lib/time/timers.ts";
import { removeExpired } from "./services/attachments/attachment-cleanup.ts";
import type { Context } from "./services/context.ts";
import { systemGrant } from "./services/access/guards.ts";
import { AuditBuffer } from "./services/audit/audit-buffer.ts";
import { recordAuditSoon } from "./services/audit/record-audit.ts";
import { createIdentity, type PasswordCost } from "./services/accounts/identity.ts";
import { createOidc } from "./services/oidc/oidc.ts";
import { LastChanges } from "./services/documents/last-changes.ts";
import { LastVisits } from "./services/documents/last-visits.ts";
import { createJobRunner } from "./services/jobs/jobs.ts";
import { AnswerLimits } from "./services/forms/answer-limits.ts";
import { FileFetcher } from "./services/imports/file-fetcher.ts";
import { UploadStore } from "./services/imports/uploads.ts";
import { QueryPool } from "./sql/query-pool.ts";
import type { Durability } from "./sqlite/database.ts";
import { acquireLock, isLocked } from "./sqlite/lock.ts";
import { createLazyPages } from "./web/lazy-pages.ts";
import { AddressPolicy } from "./webhooks/address-policy.ts";
import { Deliverer } from "./webhooks/deliverer.ts";

export interface App extends AsyncDisposable {
  readonly ctx: Context;
  /** Handles one request. */
  handle(request: Request, connection?: Partial<Connection>): Promise<Response>;
  /** Refuses new requests from now on. */
  drain(): void;
  /** Waits for requests in flight and closes everything. Idempotent. */
  close(): Promise<void>;
}

export interface AppOptions {
  /** Present in log mode; from `startReplication`. */
  replication?: StartedReplication | null;
  clock?: Clock;
  /** For the schedule of deliveries. */
  timers?: Timers;
  log?: Log;
  /** The environment of backup processes. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The cost of new password hashes; tests pass a lower one. */
  passwordCost?: PasswordCost;
  /** In log mode: where attachments are. */
  loggedContents?: LoggedContents | null;
}

/** Larger attachments are not stored in documents in log mode: each would make a copy of the document necessary. */
const MAX_LOGGED_INSIDE = 256 * 1024;
const NO_CONNECTION: Connection = {
  peer: "127.0.0.1",
  pending: () => 0,
  isReplaced: () => false,
  onRequest() {},
  onResponse() {},
};

/** Loaded only with a cluster. */
const loadPageClasses = async () => (await import("./web/page-classes.ts")).PAGE_CLASSES;

/**
 * Opens a data folder, or creates it, and starts the components on it.
 * @throws AppError if the folder is not writable or contains data of a newer version
 */
export function createApp(config: Config, options: AppOptions = {}): App {
  const { clock = systemClock, timers = systemTimers, log = silentLog, env = {} } = options;
  const ctx = openContext(config, { ...options, clock, timers, log, env });
  ctx.webhooks.start();
  ctx.jobs.start();
  const pages = createLazyPages({ describeApi: () => describeApi(routes, config.publicUrl ?? "/"), ...PAGE_REQUESTS });
  const http = createHttpServer({ ctx, config, timers, pages, loadPageClasses });
  const stopMaintenance = startMaintenance(ctx, config);
  let closed: Promise<void> | undefined;
  const close = () =>
    (closed ??= (async () => {
      stopMaintenance();
      await closeContext(ctx);
    })());
  return {
    ctx,
    handle: (request, connection) => http.handle(request, { ...NO_CONNECTION, ...connection }),
    drain() {
      http.drain();
      ctx.signals.stop();
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/**
 * Locks a data folder for this server.
 * @throws AppError if another server has locked it, or if it is not writable
 */
export function lockDataFolder(config: Config): Disposable {
  createFolders(config);
  try {
    const lock = acquireLock(join(config.data, "lock"));
    sweepTemporaryFiles(join(config.data, "tmp"));
    return lock;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new AppError("conflict", `the data folder ${config.data} is in use by another server`);
  }
}

/** Returns true while a server has locked a data folder. Changes nothing in the folder. */
export const isServerRunning = (folder: string): boolean => isLocked(join(folder, "lock"));

/** Opens the stores of a data folder, for the server and for commands that run next to it. */
export function openContext(
  config: Config,
  {
    clock,
    timers = systemTimers,
    log,
    env = {},
    passwordCost,
    loggedContents = null,
    replication: started = null,
  }: AppOptions & { clock: Clock; log: Log },
): Context {
  createFolders(config);
  const replication = started?.replication ?? null;
  const home: Home = openHome(config.data, {
    durability: durabilityOf(config),
    isLogged: replication !== null,
    isReplica: replication?.opensReplica ?? false,
    clock,
    onUpgrade(step, upgrade) {
      if (step === "started") log.info("upgrade.started", { database: "home", ...upgrade });
      if (step === "completed") log.info("upgrade.completed", { database: "home", ...upgrade });
    },
    slowQueries: {
      ms: config.slowMs,
      report: (query) => log.warn("sqlite.slow_query", { database: "home", ...query }),
    },
  });
  if (!replication) for (const name of INSTALLATION_SECRETS) home.secrets.create(name);
  const write = noteWriter(home, replication);
  const deliverNotes = noteDeliverer(home, replication);
  const lastChanges = new LastChanges({ write, clock, timers, log });
  const lastVisits = new LastVisits({ write, clock, timers, log });
  const signals = new ChangeNotifier();
  const temporary = new TemporarySpace({
    folder: join(config.data, "tmp"),
    maxBytes: config.tempBytes,
    limitError: temporarySpaceExceeded,
  });
  const snapshots: Snapshots =
    started?.snapshots ?? new SnapshotStore({ folder: config.data, keep: config.snapshotsKeep, clock });
  const { documents: opened, runtime } = openDocuments(config, {
    clock,
    log,
    snapshots,
    temporary,
    started,
    onEvents: (uuid) => webhooks.wake(uuid),
    onRecalculated: (uuid) => signals.emit(uuid, "changed"),
    onRulesChanged: ({ actor, documentId }, count) =>
      recordAuditSoon(ctx, { event: "rules.changed", actor, documentId, count }),
    onMaintenanceDue: (uuid) => void removeExpired(ctx, uuid),
  });
  const documents = observeDocuments(opened, {
    onChanged(uuid, { isContent }) {
      if (isContent) lastChanges.record(uuid);
      signals.emit(uuid, "changed");
    },
    onReplaced: (uuid) => signals.emit(uuid, "replaced"),
    onRemoved: (uuid) => signals.emit(uuid, "removed"),
  });
  const webhooks = new Deliverer({
    home,
    documents,
    grantOf: (uuid) => systemGrant(home, uuid),
    policy: new AddressPolicy(config.webhookAllow),
    onFailing: (failing) => ctx.email.isOn && write({ failingWebhooks: [failing] }),
    retryMs: config.webhookRetryMs,
    maxAttempts: config.webhookMaxAttempts,
    timeoutMs: config.webhookTimeoutMs,
    batchIntervalMs: config.webhookPauseMs,
    isShared: replication?.isNode ?? false,
    hasJobs: (uuid) => jobs.isActive(uuid),
    clock,
    timers,
    log,
  });
  const isShared = replication?.isNode ?? false;
  const jobs = createJobRunner({ home, documents, webhooks, isShared, contextOf: () => ctx, timers, log });
  const { passwords, requireSecondFactor: requiredSecondFactor } = config;
  const signIn = { passwordCost, acceptsPasswords: passwords === "on", requiredSecondFactor };
  const identity = createIdentity({ home, write, clock, timers, log, ...signIn });
  const oidc = createOidc({ providers: config.oidcProviders, clock, log });
  const files = new AttachmentStores({
    folder: config.data,
    inlineMaxBytes: started ? Math.min(config.attachmentsInside, MAX_LOGGED_INSIDE) : config.attachmentsInside,
    bucket: bucketSettings(config),
    logged: started?.contents ?? loggedContents,
  });
  const sql = new QueryPool({
    maxProcesses: config.sqlWorkers,
    timeoutMs: config.sqlTimeoutMs,
    maxRows: config.sqlMaxRows,
    maxBytes: config.sqlMaxAnswer,
    temporary,
    log,
  });
  const uploads = new UploadStore({ clock, timers, log });
  const ctx: Context = {
    home,
    documents,
    signals,
    files,
    transfers: new AttachmentTransfers(),
    snapshots,
    backups: createBackupSchedule(config, { clock, timers, log, env, onFailure: () => ctx.email.warnOfBackup() }),
    identity,
    audit: new AuditBuffer({ deliver: deliverNotes, clock, timers, log }),
    oidc,
    temporary,
    uploads,
    fetcher: new FileFetcher({ isOn: config.importUrls === "on", allowed: config.importAllow, clock, timers, log }),
    sql,
    webhooks,
    jobs,
    email: createEmail(config, { home, useHome: () => ctx.replication?.useHome() ?? null, clock, timers, log }),
    answerLimits: new AnswerLimits({ clock, timers }),
    lastChanges,
    lastVisits,
    deliverNotes,
    cluster: started?.joinCluster?.(home) ?? null,
    replication: replication && requestLog(replication, { home, runtime, config, documents, signals, webhooks, jobs }),
    clock,
    clockJumpDetector: new ClockJumpDetector(clock),
    timers,
    log,
  };
  return ctx;
}

interface DocumentsOptions extends RuntimeCallbacks {
  readonly clock: Clock;
  readonly log: Log;
  readonly temporary: TemporarySpace;
  readonly snapshots: Snapshots;
  readonly started: StartedReplication | null;
}

/** Opens documents in worker threads, or on the main thread if a custom clock is set: workers could not share it. */
function openDocuments(
  config: Config,
  { clock, log, temporary, snapshots, started, ...callbacks }: DocumentsOptions,
): { documents: Documents; runtime: DocumentRuntime } {
  const replication = started?.replication;
  const listeners = {
    ...callbacks,
    ...(started && { gate: started.gate, ownership: started.replication }),
    onCommitted: replication?.committed,
    onLost: replication?.lost,
  };
  const runtimeOptions = {
    isLogged: started !== null,
    folder: config.data,
    durability: durabilityOf(config),
    maxOpen: config.maxOpen,
    idleMs: config.docIdleMs,
    history: { states: config.historyStates, bytes: config.historyBytes },
    formulas: formulaLimits(config),
    queueEvents: config.webhookQueue,
    pagesUrl: pagesUrl(config),
    groupCommit: config.groupCommit === "on",
    slowMs: config.slowMs,
    indexBytes: Math.floor(config.indexMemory / Math.max(1, config.docThreads)),
  };
  const runtime =
    config.docThreads === 0 || clock !== systemClock
      ? createLazyRuntime(async () =>
          (await import("./hosts/in-process-runtime.ts")).createInProcessRuntime({
            ...runtimeOptions,
            clock,
            log,
            ...listeners,
          }),
        )
      : new WorkerRuntime({
          runtimeOptions,
          log,
          maxWorkers: config.docThreads,
          maxReaders: config.docReaders ?? undefined,
          hangMs: config.docHangMs,
          maxMemoryBytes: config.maxMemory ?? 0,
          ...listeners,
        });
  const { formulas } = runtimeOptions;
  const documents = createStoredDocuments({
    folder: config.data,
    clock,
    log,
    runtime,
    formulas,
    maxUnpackedBytes: config.maxUpload,
    temporary,
    past: { runtimeOptions, hangMs: config.docHangMs, snapshots },
    replacements: started?.replacements,
  });
  return { documents: replication ? replicateDocuments(documents, replication) : documents, runtime };
}

const temporarySpaceExceeded = (): AppError =>
  new AppError(
    "storage.temporary",
    "The server's limit of temporary files (QUERN_TEMP_BYTES) is reached; nothing was changed",
  );

/** Returns the limits of formulas in the settings. */
export const formulaLimits = (config: Config): RuntimeOptions["formulas"] => ({
  cell: { steps: config.formulaSteps, bytes: config.formulaMemory, timeMs: config.formulaCellTimeMs },
  change: {
    steps: config.formulaChangeSteps,
    bytes: config.formulaChangeMemory,
    timeMs: config.formulaTimeMs,
  },
  jobTimeMs: config.jobTimeS * 1000,
  cacheBytes: config.formulaCache,
  temporary: { folder: join(config.data, "tmp"), maxBytes: config.tempBytes },
});

/** In a cluster the log is durable: a file that a power failure may have damaged is built again from it. */
const durabilityOf = ({ cluster, durability }: Config): Durability => (cluster === null ? durability : "off");

export async function closeContext(ctx: Context): Promise<void> {
  ctx.signals.stop();
  // First: a document that a query reads cannot be checkpointed into a single file when it is closed.
  await ctx.sql.close();
  await ctx.backups.stop();
  await ctx.transfers.close();
  await ctx.jobs.stop();
  await ctx.webhooks.stop();
  await ctx.email.stop();
  await ctx.documents.close();
  await ctx.uploads[Symbol.asyncDispose]();
  await ctx.lastChanges.close();
  await ctx.lastVisits.close();
  await ctx.identity.close();
  await ctx.audit.close();
  // What closing has written is not lost if it is not in the log: the next start rebuilds the file.
  await ctx.replication
    ?.useHome()
    .settled()
    .catch((error: unknown) => ctx.log.warn("log.not_settled", { error: String(error) }));
  ctx.home.close();
  await ctx.replication?.close();
  ctx.log.flush();
}

function createFolders({ data }: Config): void {
  requireNoUnfinishedRestore(data);
  // A folder of a newer version stays as it is.
  inspectHome(data);
  try {
    // These folders contain the documents of all users: other users of the machine must not have access.
    for (const name of ["docs", "tmp"]) mkdirSync(join(data, name), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AppError("storage", `the data folder ${data} is not writable: ${(error as Error).message}`);
  }
}

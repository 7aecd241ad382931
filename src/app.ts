/** The composition root: connects all components, for `serve` and for the API tests. */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { BucketAccess } from "./backup/open-target.ts";
import { BackupSchedule } from "./backup/backup-schedule.ts";
import { SnapshotStore } from "./backup/snapshots.ts";
import { requireNoUnfinishedRestore } from "./backup/restore-in-progress.ts";
import { SETTINGS, type Config } from "./config.ts";
import { AppError, invalid } from "./errors.ts";
import type { BucketSettings } from "./files/bucket-store.ts";
import { AttachmentStores } from "./files/attachment-stores.ts";
import { AttachmentTransfers } from "./files/attachment-transfers.ts";
import { openHome, type Home } from "./home/home.ts";
import { ChangeNotifier } from "./hosts/change-notifier.ts";
import type { Documents } from "./hosts/documents.ts";
import type { RuntimeCallbacks } from "./hosts/document-runtime.ts";
import { createLazyRuntime } from "./hosts/lazy-runtime.ts";
import { createStoredDocuments } from "./hosts/stored-documents.ts";
import { WorkerRuntime } from "./hosts/threads/worker-runtime.ts";
import { observeDocuments } from "./hosts/observed-documents.ts";
import { describeApi } from "./http/openapi.ts";
import { routes } from "./http/routes.ts";
import { createHttpServer, type Connection } from "./http/server.ts";
import { systemClock, type Clock } from "./lib/time/clock.ts";
import { PROGRAM } from "./lib/program.ts";
import { silentLog, type Log } from "./lib/observability/log.ts";
import { ClockJumpDetector } from "./lib/time/clock-jump-detector.ts";
import { runEvery, systemTimers, type Timers } from "./lib/time/timers.ts";
import { removeExpired } from "./services/attachments/attachment-cleanup.ts";
import type { Context } from "./services/context.ts";
import { systemGrant } from "./services/access/guards.ts";
import { createIdentity, type PasswordCost } from "./services/accounts/identity.ts";
import { LastChanges } from "./services/documents/last-changes.ts";
import { purgeTrash } from "./services/documents/trash.ts";
import { UploadStore } from "./services/imports/uploads.ts";
import { QueryPool } from "./sql/query-pool.ts";
import { acquireLock } from "./sqlite/lock.ts";
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
  clock?: Clock;
  /** For the schedule of deliveries. */
  timers?: Timers;
  log?: Log;
  /** The environment of backup processes. */
  env?: Readonly<Record<string, string | undefined>>;
  /** The cost of new password hashes; tests pass a lower one. */
  passwordCost?: PasswordCost;
}

const PURGE_INTERVAL_MS = 3_600_000;
const NO_CONNECTION: Connection = { peer: "127.0.0.1", pending: () => 0, onRequest() {}, onResponse() {} };

/**
 * Opens a data folder, or creates it, and starts the components on it.
 * @throws AppError if the folder is not writable or contains data of a newer version
 */
export function createApp(config: Config, options: AppOptions = {}): App {
  const { clock = systemClock, timers = systemTimers, log = silentLog, env = {}, passwordCost } = options;
  const ctx = openContext(config, { clock, timers, log, env, ...(passwordCost && { passwordCost }) });
  ctx.webhooks.start();
  ctx.backups.start();
  const pages = createLazyPages({ describeApi: () => describeApi(routes, config.publicUrl ?? "/") });
  const http = createHttpServer({ ctx, config, timers, pages });
  const purge = () => {
    if (!ctx.clockJumpDetector.isTrusted())
      return log.warn("trash.purge_skipped", { why: "the system clock was changed" });
    void purgeTrash(ctx).catch((error: unknown) => log.error("trash.purge_failed", { error: String(error) }));
  };
  const stopPurging = runEvery(PURGE_INTERVAL_MS, purge);
  purge();
  let closed: Promise<void> | undefined;
  const close = () =>
    (closed ??= (async () => {
      stopPurging();
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

/** Opens the stores of a data folder, for the server and for commands that run next to it. */
export function openContext(
  config: Config,
  { clock, timers = systemTimers, log, env = {}, passwordCost }: AppOptions & { clock: Clock; log: Log },
): Context {
  createFolders(config);
  const home: Home = openHome(config.data, {
    durability: config.durability,
    clock,
    slowQueries: {
      ms: config.slowMs,
      report: (query) => log.warn("sqlite.slow_query", { database: "home", ...query }),
    },
  });
  const lastChanges = new LastChanges({ home, clock, timers, log });
  const signals = new ChangeNotifier();
  const opened = openDocuments(config, {
    clock,
    log,
    onEvents: (uuid) => webhooks.wake(uuid),
    onRecalculated: (uuid) => signals.emit(uuid, "changed"),
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
    retryMs: config.webhookRetryMs,
    maxAttempts: config.webhookMaxAttempts,
    timeoutMs: config.webhookTimeoutMs,
    batchIntervalMs: config.webhookPauseMs,
    clock,
    timers,
    log,
  });
  const identity = createIdentity({ home, clock, timers, log, passwordCost });
  const files = new AttachmentStores({
    folder: config.data,
    inlineMaxBytes: config.attachmentsInside,
    bucket: bucketSettings(config),
  });
  const sql = new QueryPool({
    maxProcesses: config.sqlWorkers,
    timeoutMs: config.sqlTimeoutMs,
    maxRows: config.sqlMaxRows,
    maxBytes: config.sqlMaxAnswer,
    log,
  });
  const uploads = new UploadStore({ clock, timers, log });
  const snapshots = new SnapshotStore({ folder: config.data, keep: config.snapshotsKeep, clock });
  const ctx: Context = {
    home,
    documents,
    signals,
    files,
    transfers: new AttachmentTransfers(),
    snapshots,
    backups: createBackupSchedule(config, { clock, timers, log, env }),
    identity,
    uploads,
    sql,
    webhooks,
    lastChanges,
    clock,
    clockJumpDetector: new ClockJumpDetector(clock),
    timers,
    log,
  };
  return ctx;
}

/** Opens documents in worker threads, or on the main thread if a custom clock is set: workers could not share it. */
function openDocuments(
  config: Config,
  { clock, log, ...listeners }: { clock: Clock; log: Log } & RuntimeCallbacks,
): Documents {
  const runtimeOptions = {
    folder: config.data,
    durability: config.durability,
    maxOpen: config.maxOpen,
    idleMs: config.docIdleMs,
    history: { states: config.historyStates, bytes: config.historyBytes },
    formulas: {
      cell: { steps: config.formulaSteps, bytes: config.formulaMemory, timeMs: config.formulaCellTimeMs },
      change: {
        steps: config.formulaChangeSteps,
        bytes: config.formulaChangeMemory,
        timeMs: config.formulaTimeMs,
      },
      jobTimeMs: config.jobTimeS * 1000,
    },
    queueEvents: config.webhookQueue,
    pagesUrl: pagesUrl(config),
    groupCommit: config.groupCommit === "on",
    slowMs: config.slowMs,
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
          hangMs: config.docHangMs,
          maxMemoryBytes: config.maxMemory ?? 0,
          ...listeners,
        });
  const { formulas } = runtimeOptions;
  return createStoredDocuments({
    folder: config.data,
    clock,
    log,
    runtime,
    formulas,
    maxUnpackedBytes: config.maxUpload,
  });
}

/** Returns the address of the pages of documents; undefined while the port is unknown. */
function pagesUrl({ publicUrl, host, port }: Config): string | undefined {
  if (publicUrl) return `${publicUrl}/docs`;
  if (port === 0) return undefined;
  const isAny = host === "0.0.0.0" || host === "::";
  return `http://${isAny ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}/docs`;
}

/** Returns the settings of the attachment bucket. @throws AppError `invalid` if only some of them are set */
function bucketSettings(config: Config): BucketSettings | null {
  const { s3Bucket: bucket, s3Prefix: prefix, backupTo } = config;
  const access = bucketAccess(config);
  // An S3 service that only backups use requires no bucket for attachments.
  if (bucket === null && access && backupTo?.startsWith("s3://")) return null;
  const required = ["s3Endpoint", "s3Bucket", "s3AccessKey", "s3SecretKey"] as const;
  const missingSettings = required.filter((name) => config[name] === null);
  if (missingSettings.length === required.length) return null;
  if (bucket === null || access === null) {
    throw invalid(`Incomplete bucket settings: set ${missingSettings.map((name) => SETTINGS[name].env).join(", ")}`);
  }
  return { ...access, bucket, prefix };
}

/** Creates the backup schedule of the settings. */
function createBackupSchedule(
  config: Config,
  { env, ...dependencies }: Required<Omit<AppOptions, "passwordCost">>,
): BackupSchedule {
  const { backupTo: target, backupEvery: everyMs, backupKeep: keep } = config;
  if (target?.startsWith("s3://") && bucketAccess(config) === null) {
    throw invalid("QUERN_BACKUP_TO is a bucket: set QUERN_S3_ENDPOINT, QUERN_S3_ACCESS_KEY and QUERN_S3_SECRET_KEY");
  }
  // Backup processes read the environment only, so flags of the server are added to it.
  const settings = (["data", "snapshotsKeep", "s3Endpoint", "s3Region", "s3AccessKey", "s3SecretKey"] as const).map(
    (name) => [SETTINGS[name].env, config[name] === null ? "" : String(config[name])] as const,
  );
  const open = async () => {
    const { openTarget } = await import("./backup/open-target.ts");
    return openTarget(target ?? "", { access: bucketAccess(config), temporaryFolder: join(config.data, "tmp") });
  };
  const childEnv = { ...env, ...Object.fromEntries(settings) };
  return new BackupSchedule({ place: target, everyMs, keep, open, command: PROGRAM, env: childEnv, ...dependencies });
}

/** Returns how to access buckets; null if that is not configured. */
export function bucketAccess(config: Config): BucketAccess | null {
  const { s3Endpoint: endpoint, s3Region: region, s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = config;
  if (endpoint === null || accessKeyId === null || secretAccessKey === null) return null;
  return { endpoint, region, accessKeyId, secretAccessKey };
}

export async function closeContext(ctx: Context): Promise<void> {
  ctx.signals.stop();
  // First: a document that a query reads cannot be checkpointed into a single file when it is closed.
  await ctx.sql.close();
  await ctx.backups.stop();
  await ctx.transfers.close();
  await ctx.webhooks.stop();
  await ctx.documents.close();
  await ctx.uploads[Symbol.asyncDispose]();
  await ctx.lastChanges.close();
  await ctx.identity.close();
  ctx.home.close();
  ctx.log.flush();
}

function createFolders({ data }: Config): void {
  requireNoUnfinishedRestore(data);
  try {
    // These folders contain the documents of all users: other users of the machine must not have access.
    for (const name of ["docs", "tmp"]) mkdirSync(join(data, name), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AppError("storage", `the data folder ${data} is not writable: ${(error as Error).message}`);
  }
}

/** Maximum lifetime of temporary files of commands that run next to the server. */
const TEMPORARY_FILE_MAX_AGE_MS = 24 * 3_600_000;

/** Removes temporary files left over from a crash. */
function sweepTemporaryFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < Date.now() - TEMPORARY_FILE_MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

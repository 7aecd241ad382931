/** The composition root: the one place where the parts are put together, used by `serve` and by every API test. */
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
  /** Answers one request. */
  handle(request: Request, connection?: Partial<Connection>): Promise<Response>;
  /** From now on new requests are turned away. */
  drain(): void;
  /** Finishes what is under way and closes everything; closing twice is fine. */
  close(): Promise<void>;
}

export interface AppOptions {
  clock?: Clock;
  /** For what waits for its time in deliveries. */
  timers?: Timers;
  log?: Log;
  /** The environment of processes that make backups. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Of new password hashes; tests pass a lower one. */
  passwordCost?: PasswordCost;
}

const PURGE_INTERVAL_MS = 3_600_000;
const NO_CONNECTION: Connection = { peer: "127.0.0.1", pending: () => 0, onRequest() {}, onResponse() {} };

/**
 * Opens a data folder (making it when missing) and puts the server together on it.
 * @throws AppError when the folder cannot be written to or holds data of a newer version
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
      return log.warn("trash.purge_skipped", { why: "the clock of the machine was set" });
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
 * Claims a data folder for one server.
 * @throws AppError when another server has it, or when it cannot be written to
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

/** The stores of a data folder, for the server and for commands that work beside it. */
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
    onUpkeepDue: (uuid) => void removeExpired(ctx, uuid),
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

/** Documents live in threads, or in this one: a clock of somebody's own does not reach the others. */
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

/** Where the pages of documents are; undefined while the port is not known. */
function pagesUrl({ publicUrl, host, port }: Config): string | undefined {
  if (publicUrl) return `${publicUrl}/docs`;
  if (port === 0) return undefined;
  const isAny = host === "0.0.0.0" || host === "::";
  return `http://${isAny ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}/docs`;
}

/** The bucket of attachments. @throws AppError `invalid` when some of its settings are there and others are not */
function bucketSettings(config: Config): BucketSettings | null {
  const { s3Bucket: bucket, s3Prefix: prefix, backupTo } = config;
  const access = bucketAccess(config);
  // Whoever names a service for backups alone names no bucket for attachments.
  if (bucket === null && access && backupTo?.startsWith("s3://")) return null;
  const required = ["s3Endpoint", "s3Bucket", "s3AccessKey", "s3SecretKey"] as const;
  const missingSettings = required.filter((name) => config[name] === null);
  if (missingSettings.length === required.length) return null;
  if (bucket === null || access === null) {
    throw invalid(
      `A bucket takes all of its settings: ${missingSettings.map((name) => SETTINGS[name].env).join(", ")} missing`,
    );
  }
  return { ...access, bucket, prefix };
}

/** What makes the backups that the settings ask for. */
function createBackupSchedule(
  config: Config,
  { env, ...dependencies }: Required<Omit<AppOptions, "passwordCost">>,
): BackupSchedule {
  const { backupTo: target, backupEvery: everyMs, backupKeep: keep } = config;
  if (target?.startsWith("s3://") && bucketAccess(config) === null) {
    throw invalid(
      "QUERN_BACKUP_TO names a bucket: QUERN_S3_ENDPOINT, QUERN_S3_ACCESS_KEY and QUERN_S3_SECRET_KEY missing",
    );
  }
  // Flags of the server count for them as much as its environment.
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

/** How buckets are reached; null where the settings do not say it. */
export function bucketAccess(config: Config): BucketAccess | null {
  const { s3Endpoint: endpoint, s3Region: region, s3AccessKey: accessKeyId, s3SecretKey: secretAccessKey } = config;
  if (endpoint === null || accessKeyId === null || secretAccessKey === null) return null;
  return { endpoint, region, accessKeyId, secretAccessKey };
}

export async function closeContext(ctx: Context): Promise<void> {
  ctx.signals.stop();
  // First, since a document that a query reads does not become one clean file when it is closed.
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
    // Everybody's documents are in there: other users of the machine have no business with them.
    for (const name of ["docs", "tmp"]) mkdirSync(join(data, name), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new AppError("storage", `the data folder ${data} cannot be written to: ${(error as Error).message}`);
  }
}

/** How long a command beside the server may take for a file of its own. */
const TEMPORARY_FILE_MAX_AGE_MS = 24 * 3_600_000;

/** Removes what a crash left among the temporary files. */
function sweepTemporaryFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < Date.now() - TEMPORARY_FILE_MAX_AGE_MS) rmSync(path, { recursive: true, force: true });
  }
}

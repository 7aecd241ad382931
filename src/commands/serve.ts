import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { recordAuditSoon } from "../services/audit/record-audit.ts";
import { createApp, lockDataFolder, type App } from "../app.ts";
import { logEmailStart } from "../composition/email.ts";
import { startReplication } from "../composition/replication.ts";
import { unknownSettingVariables, type Config } from "../config.ts";
import { logUrlOf } from "../config/cluster-settings.ts";
import { AppError } from "../errors.ts";
import { serverAddress } from "../lib/network/server-address.ts";
import { VERSION } from "../lib/build.ts";
import { reportCallbackErrors, stackOf } from "../lib/callbacks.ts";
import { resumeJit } from "../lib/jit-policy.ts";
import { systemClock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { diskSpace } from "../lib/observability/process-metrics.ts";
import { runEvery, systemTimers } from "../lib/time/timers.ts";
import { writeFirstRunLink } from "../services/accounts/first-run.ts";
import { type Command, EXIT_CRASHED, type CommandContext } from "./command.ts";
import { areFileDescriptorsScarce, maxFileDescriptors } from "./file-descriptors.ts";
import { Listeners } from "./listeners.ts";
import { TlsReloader, tlsFilesOf } from "./tls-reloader.ts";
import { createCommandLog } from "./with-context.ts";

/** The grace period for requests in flight after a shutdown signal. */
const SHUTDOWN_GRACE_MS = 30_000;
const DESCRIPTOR_CHECK_INTERVAL_MS = 1000;

/** Set when startup has finished. */
const STARTUP_SETTLE_MS = 300;

export const serve: Command = {
  name: "serve",
  about: "Runs the server. Prints one line when it is ready; logs go to stderr. Stops on SIGTERM or SIGINT.",
  options: [
    {
      name: "adopt",
      about:
        "With --log-to or --cluster: puts the documents of a folder into an empty log, or replaces a folder that the log does not know by the log's content.",
    },
    {
      name: "leave-log",
      about: "Without --log-to and --cluster: goes on with a folder whose writes were in a log until now.",
    },
  ],
  takesSettings: true,
  toleratesLostOutput: true,
  async run({ context, config, switches }) {
    const log = createCommandLog(context, config.logLevel);
    reportCallbackErrors((error) => log.error("callback.failed", { error: stackOf(error) }));
    // A bug in one request must not crash the server.
    context.onUnhandledRejection((error) => log.error("process.unhandled_rejection", { error: stackOf(error) }));
    for (const name of unknownSettingVariables(context.env)) log.warn("config.unknown_setting", { name });
    const stopped = waitForExitStatus(context, log);
    try {
      return await runServer({ context, config, log, stopped, switches });
    } catch (error) {
      throw isDiskFull(config.data) ? diskFull(config.data, error) : error;
    }
  },
};

interface ServerRun {
  readonly context: CommandContext;
  readonly config: Config;
  readonly log: Log;
  readonly switches: ReadonlySet<string>;
  /** Resolves with the exit status when the server must stop. */
  readonly stopped: Promise<number>;
}

async function runServer({ context, config, log, stopped, switches }: ServerRun): Promise<number> {
  const files = tlsFilesOf(config);
  using tls = files && new TlsReloader({ files, log });
  using _lock = lockDataFolder(config);
  if (logUrlOf(config) === null) {
    const { requireNoLog } = await import("../cluster/log-folder.ts");
    requireNoLog(config.data, { leaves: switches.has("leave-log") });
  }
  const replication = await startReplication(config, { log, adopts: switches.has("adopt") });
  await using app = createApp(config, { clock: systemClock, log, env: context.env, replication });
  await app.ctx.replication?.attach();
  const server = new Listeners({ app, config, log, certificate: tls?.first ?? null });
  if (tls) context.onReload(tls.watch((certificate) => server.replaceCertificate(certificate)));
  await app.ctx.replication?.listening(server.port);
  const address = serverAddress({ isTls: tls !== null, host: config.host, port: server.port });
  const publicUrl = config.publicUrl ?? address;
  // Only the owner of the home database creates a token.
  const link =
    (app.ctx.replication?.isHomeOwner() ?? true)
      ? writeFirstRunLink(app.ctx, publicUrl, join(config.data, "first-run-link"))
      : null;
  context.out(`Listening on ${address}`);
  if (link) context.err(`No users yet. Open this link to create the first one: ${link}`);
  if (link || context.isTerminal === true) context.err(`Documentation: ${publicUrl}/help`);
  logEmailStart(app.ctx.email, log);
  log.info("server.started", { version: VERSION, address, data: config.data });
  recordAuditSoon(app.ctx, { event: "server.started", actor: "server", details: { version: VERSION } });
  systemTimers.after(STARTUP_SETTLE_MS, () => {
    resumeJit();
    // Releases startup memory before the first request.
    Bun.gc(true);
  });
  const stopWatching = watchFileDescriptors(server, log);
  const status = await stopped;
  if (status === 0) await drain(app, { context, config, log });
  stopWatching();
  await shutDown(app, server, log);
  return status;
}

/** Startup writes less than this: when it fails with more free space, a full disk was not the cause. */
const MIN_FREE_BYTES = 1_048_576;

function isDiskFull(folder: string): boolean {
  // The folder may be what could not be created.
  const existing = existsSync(folder) ? folder : dirname(folder);
  const space = diskSpace(existing);
  return space !== null && space.freeBytes < MIN_FREE_BYTES;
}

const diskFull = (folder: string, cause: unknown): AppError =>
  new AppError("storage", `the disk that holds the data folder ${folder} is full: free some space and start again`, {
    cause,
  });

/**
 * Idle connections must not use up the file descriptors that documents need: close to the limit, keep-alive connections
 * are closed. Connections that never send a first request time out on their own.
 */
function watchFileDescriptors(server: Listeners, log: Log): () => void {
  const limit = maxFileDescriptors();
  const check = () => {
    if (areFileDescriptorsScarce(limit))
      log.warn("server.too_many_connections", { limit, closed: server.closeIdleConnections() });
  };
  return runEvery(DESCRIPTOR_CHECK_INTERVAL_MS, check);
}

/** 0 after a shutdown signal; after an uncaught exception the state of the server is undefined. */
const waitForExitStatus = (world: CommandContext, log: Log): Promise<number> =>
  new Promise((resolve) => {
    world.onStop(() => resolve(0));
    world.onUncaughtException((error) => {
      log.error("process.uncaught_exception", { error: stackOf(error) });
      resolve(EXIT_CRASHED);
    });
  });

/**
 * On a node of a cluster: hands everything over to other nodes, and forwards requests to them until load balancers have
 * noticed. A second signal ends the wait.
 */
async function drain(app: App, { context, config, log }: Pick<ServerRun, "context" | "config" | "log">): Promise<void> {
  const { replication } = app.ctx;
  if (config.cluster === null || !replication) return;
  log.info("server.draining");
  const second = Promise.withResolvers<void>();
  context.onStop(() => second.resolve());
  const noticed = new Promise<void>((resolve) => systemTimers.after(config.drainMs, () => resolve()));
  const forward = async () => {
    // Without a node that answers instead, the wait would only delay the restart.
    if (await replication.drain()) await noticed;
  };
  await Promise.race([forward(), second.promise]);
}

/** Refuses new requests, drains those in flight, then closes the documents (by the caller's `await using`). */
async function shutDown(app: App, server: Listeners, log: Log): Promise<void> {
  log.info("server.stopping", { underWay: server.pendingRequests });
  app.drain();
  server.stopAccepting();
  const deadline = performance.now() + SHUTDOWN_GRACE_MS;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
  await server.close();
  log.info("server.stopped");
}

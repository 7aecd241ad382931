import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createApp, lockDataFolder, type App } from "../app.ts";
import { unknownSettingVariables, type Config } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { VERSION } from "../lib/build.ts";
import { reportCallbackErrors, stackOf } from "../lib/callbacks.ts";
import { systemClock } from "../lib/time/clock.ts";
import { createLog, type Log } from "../lib/observability/log.ts";
import { diskSpace } from "../lib/observability/process-metrics.ts";
import { runEvery, systemTimers } from "../lib/time/timers.ts";
import { writeFirstRunLink } from "../services/accounts/first-run.ts";
import { type Command, EXIT_CRASHED, type CommandContext } from "./command.ts";
import { idleTimeoutS } from "./idle-timeout.ts";
import { areFileDescriptorsScarce, maxFileDescriptors } from "./file-descriptors.ts";

/** The grace period for requests in flight after a shutdown signal. */
const SHUTDOWN_GRACE_MS = 30_000;
const DESCRIPTOR_CHECK_INTERVAL_MS = 1000;

/** Set when startup has finished. */
const STARTUP_SETTLE_MS = 300;

export const serve: Command = {
  name: "serve",
  about: "Runs the server. Prints one line when it is ready; logs go to stderr. Stops on SIGTERM or SIGINT.",
  options: [],
  takesSettings: true,
  toleratesLostOutput: true,
  async run({ context, config }) {
    const log = createLog({ level: config.logLevel, write: (text) => context.err(text.slice(0, -1)) });
    reportCallbackErrors((error) => log.error("callback.failed", { error: stackOf(error) }));
    // A bug in one request must not crash the server.
    context.onUnhandledRejection((error) => log.error("process.unhandled_rejection", { error: stackOf(error) }));
    for (const name of unknownSettingVariables(context.env)) log.warn("config.unknown_setting", { name });
    const stopped = waitForExitStatus(context, log);
    try {
      return await runServer({ context, config, log, stopped });
    } catch (error) {
      throw isDiskFull(config.data) ? diskFull(config.data, error) : error;
    }
  },
};

interface ServerRun {
  readonly context: CommandContext;
  readonly config: Config;
  readonly log: Log;
  /** Resolves with the exit status when the server must stop. */
  readonly stopped: Promise<number>;
}

async function runServer({ context, config, log, stopped }: ServerRun): Promise<number> {
  using _lock = lockDataFolder(config);
  await using app = createApp(config, { clock: systemClock, log, env: context.env });
  const server = listen(app, { config, log });
  const address = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  const link = writeFirstRunLink(app.ctx, config.publicUrl ?? address, join(config.data, "first-run-link"));
  if (link) context.err(`No users yet. Open this link to create the first one: ${link}`);
  log.info("server.started", { version: VERSION, address, data: config.data });
  context.out(`Listening on ${address}`);
  // Releases startup memory before the first request.
  systemTimers.after(STARTUP_SETTLE_MS, () => Bun.gc(true));
  const stopWatching = watchFileDescriptors(server, log);
  const status = await stopped;
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

function listen(app: App, { config, log }: { config: Config; log: Log }): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      // Explicit, because by default a second process may share the port without an error in either.
      reusePort: false,
      // The first request's headers have 9 to 13 s, which the runtime does not let callers change.
      idleTimeout: idleTimeoutS(config.clientTimeoutS),
      // Our own limits answer with an error message; Bun's limit would answer with an empty 413, so it is higher.
      maxRequestBodySize: Math.max(config.maxBody, config.maxUpload) + 1024 ** 2,
      development: false,
      error(error) {
        log.error("http.handler_failed", { error: stackOf(error) });
        return Response.json({ error: "Something went wrong" }, { status: 500 });
      },
      fetch: (request, server) =>
        app.handle(request, {
          peer: server.requestIP(request)?.address ?? "",
          pending: () => server.pendingRequests,
          onRequest: () => server.timeout(request, 0),
          onResponse: () => server.timeout(request, idleTimeoutS(config.clientTimeoutS)),
        }),
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE") throw invalid(`port ${config.port} on ${config.host} is in use by another program`);
    throw invalid(`cannot listen on ${config.host}:${config.port}: ${message}`);
  }
}

/**
 * Idle connections must not use up the file descriptors that documents need: close to the limit, keep-alive connections
 * are closed. Connections that never send a first request time out on their own.
 */
function watchFileDescriptors(server: Bun.Server<undefined>, log: Log): () => void {
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

/** Refuses new requests, drains those in flight, then closes the documents (by the caller's `await using`). */
async function shutDown(app: App, server: Bun.Server<undefined>, log: Log): Promise<void> {
  log.info("server.stopping", { underWay: server.pendingRequests });
  app.drain();
  void server.stop(false);
  const deadline = performance.now() + SHUTDOWN_GRACE_MS;
  while (server.pendingRequests > 0 && performance.now() < deadline) await Bun.sleep(10);
  await server.stop(true);
  log.info("server.stopped");
}

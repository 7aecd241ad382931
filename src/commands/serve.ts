import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { createApp, lockData, type App } from "../app.ts";
import { unknownVariables, type Config } from "../config.ts";
import { AppError, invalid } from "../errors.ts";
import { VERSION } from "../lib/build.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog, type Log } from "../lib/log.ts";
import { diskSpace } from "../lib/process-figures.ts";
import { offerFirstRun } from "../services/first-run.ts";
import type { Command, World } from "./command.ts";
import { areHandlesScarce, handleLimit } from "./handles.ts";

/** How long requests under way may take to finish after the server was asked to stop. */
const GRACE_MS = 30_000;
/** A connection without a request is kept so much longer than one whose request does not come. */
const REST = 2.5;
const HANDLES_EVERY_MS = 1000;

/** When starting is over. */
const SETTLED_MS = 300;

export const serve: Command = {
  name: "serve",
  about: "Runs the server. Prints one line when it is ready; logs go to stderr. Ends on SIGTERM or SIGINT.",
  options: [],
  takesSettings: true,
  toleratesLostOutput: true,
  async run({ world, config }) {
    const log = createLog({ level: config.logLevel, write: (text) => world.err(text.slice(0, -1)) });
    // A mistake of ours in one request must not end all others.
    world.onLostError((error) =>
      log.error("lost error", { error: error instanceof Error ? error.stack : String(error) }),
    );
    for (const name of unknownVariables(world.env)) log.warn("unknown setting", { name });
    try {
      return await runServer({ world, config, log });
    } catch (error) {
      throw isDiskFull(config.data) ? diskFull(config.data, error) : error;
    }
  },
};

async function runServer({ world, config, log }: { world: World; config: Config; log: Log }): Promise<number> {
  using _lock = lockData(config);
  await using app = createApp(config, { clock: systemClock, log, env: world.env });
  const server = listen(app, config);
  const address = `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${server.port}`;
  const link = offerFirstRun(app.ctx, config.publicUrl ?? address, join(config.data, "first-run-link"));
  if (link) world.err(`No user yet. Open this link to make the first one: ${link}`);
  log.info("started", { version: VERSION, address, data: config.data });
  world.out(`Listening on ${address}`);
  // What starting took is given back before anybody waits for anything.
  setTimeout(() => Bun.gc(true), SETTLED_MS).unref();
  const watching = watchHandles(server, log);
  await stopped(world);
  clearInterval(watching);
  await shutDown(app, server, log);
  return 0;
}

/** Starting writes less than this: when it fails with more left, the disk was not too full for it. */
const ENOUGH_BYTES = 1_048_576;

function isDiskFull(folder: string): boolean {
  // The folder itself may be what could not be made.
  const existing = existsSync(folder) ? folder : dirname(folder);
  const space = diskSpace(existing);
  return space !== null && space.freeBytes < ENOUGH_BYTES;
}

const diskFull = (folder: string, cause: unknown): AppError =>
  new AppError("storage", `the disk that holds the data folder ${folder} is full: free some space and start again`, {
    cause,
  });

function listen(app: App, config: Config): Bun.Server<undefined> {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      // Said explicitly: when it is left out, a second program may share the port without either noticing.
      reusePort: false,
      // For what comes before a request is known of: its head, which is not waited for any longer when it comes in drops.
      idleTimeout: config.clientTimeoutS,
      // Our own limits answer with a sentence; Bun's would be an empty 413, so it stands above them.
      maxRequestBodySize: Math.max(config.maxBody, config.maxUpload) + 1024 ** 2,
      development: false,
      fetch: (request, server) =>
        app.handle(request, {
          peer: server.requestIP(request)?.address ?? "",
          pending: () => server.pendingRequests,
          isWorking: () => server.timeout(request, 0),
          isAnswered: () => server.timeout(request, Math.ceil(config.clientTimeoutS * REST)),
        }),
    });
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "EADDRINUSE") throw invalid(`port ${config.port} on ${config.host} is in use by another program`);
    throw invalid(`cannot listen on ${config.host}:${config.port}: ${message}`);
  }
}

/**
 * Connections that nobody uses must not take the files that documents need: before there are none left, those that wait
 * for a next request are closed. Those whose first request does not come end by themselves.
 */
function watchHandles(server: Bun.Server<undefined>, log: Log): Timer {
  const limit = handleLimit();
  const look = () => {
    if (areHandlesScarce(limit)) log.warn("too many connections", { limit, closed: server.closeIdleConnections() });
  };
  return setInterval(look, HANDLES_EVERY_MS).unref();
}

const stopped = (world: World): Promise<void> => new Promise((resolve) => world.onStop(resolve));

/** Turns new requests away, lets those under way finish, then closes the documents (by the caller's `await using`). */
async function shutDown(app: App, server: Bun.Server<undefined>, log: Log): Promise<void> {
  log.info("stopping", { underWay: server.pendingRequests });
  app.drain();
  void server.stop(false);
  const until = performance.now() + GRACE_MS;
  while (server.pendingRequests > 0 && performance.now() < until) await Bun.sleep(10);
  await server.stop(true);
  log.info("stopped");
}

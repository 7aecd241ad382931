/** A thread that holds documents. An entry point of the executable; `thread-host.ts` is the other end. */
import { parentPort, workerData } from "node:worker_threads";
import { createDocumentFile } from "../doc/create.ts";
import { systemClock } from "../lib/clock.ts";
import { guarded, reportCallbackErrors, stackOf } from "../lib/callbacks.ts";
import { nextTurn, soon } from "../lib/timers.ts";
import { takeMeasurements } from "../lib/measurements.ts";
import type { Log, LogFields, LogLevel } from "../lib/log.ts";
import { packError } from "./carried-error.ts";
import { DocumentHost } from "./document-host.ts";
import { buffersOf, MOST_TOGETHER, type NumberedRequest, type Reply, type ThreadData } from "./thread-messages.ts";

const { showsDebug, ...keeping } = workerData as ThreadData;

const host = new DocumentHost({
  ...keeping,
  clock: systemClock,
  log: logAway(),
  onEvents: (uuid) => tell({ kind: "events", uuid }),
  onRecalculated: (uuid) => tell({ kind: "recalculated", uuid }),
  onUpkeepDue: (uuid) => tell({ kind: "upkeepDue", uuid }),
  onOpened: (uuid) => tell({ kind: "opened", uuid }),
  onClosed: (uuid) => tell({ kind: "closed", uuid }),
});

reportCallbackErrors((error) =>
  tell({ kind: "log", level: "error", event: "callback.failed", fields: { error: stackOf(error) } }),
);

parentPort?.on(
  "message",
  guarded((requests: readonly NumberedRequest[]) => answerAll(requests)),
);

async function answerAll(requests: readonly NumberedRequest[]): Promise<void> {
  for (const request of requests) {
    void answer(request);
    // What is answered already may be told before the next is begun.
    await Promise.resolve();
  }
}

async function answer(request: NumberedRequest): Promise<void> {
  const { id } = request;
  try {
    const pending = perform(request);
    const result = pending instanceof Promise ? ((await pending) as unknown) : pending;
    tell({ kind: "result", id, result }, buffersOf(result));
  } catch (error) {
    tell({ kind: "error", id, error: packError(error) });
  }
}

function perform(request: NumberedRequest): unknown {
  switch (request.kind) {
    case "call":
      return host.call(request.grant, request.verb, request.args);
    case "next":
      return host.next(request.uuid, request.cursor);
    case "release":
      return host.release(request.uuid, request.cursor);
    case "makeFile":
      return createDocumentFile(request.path, { now: Date.now() });
    case "closeDocument":
      return host.closeDocument(request.uuid);
    case "handOver":
      return host.handOver(request.uuid);
    case "measure":
      return takeMeasurements();
    case "shrink":
      return Bun.gc(true);
    case "closeAll":
      return closeAll();
    default:
      return request satisfies never;
  }
}

/** Answered after everything that was asked before. */
async function closeAll(): Promise<void> {
  host.close();
  await nextTurn();
}

let untold: Reply[] = [];
let handed: ArrayBuffer[] = [];

function tell(reply: Reply, buffers: readonly ArrayBuffer[] = []): void {
  untold.push(reply);
  handed.push(...buffers);
  if (untold.length >= MOST_TOGETHER) tellAll();
  else if (untold.length === 1) soon(tellAll);
}

/** Tells what is not told yet. */
function tellAll(): void {
  if (untold.length === 0) return;
  const [replies, buffers] = [untold, handed];
  untold = [];
  handed = [];
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows, not for threads
  parentPort?.postMessage(replies, buffers);
}

/** The log is written in the main thread. */
function logAway(): Log {
  const put = (level: LogLevel) => (event: string, fields?: LogFields) => tell({ kind: "log", level, event, fields });
  return {
    // What else is shown is known there; lines of that level are many.
    shows: (level) => level !== "debug" || showsDebug,
    troubles: () => [],
    debug: showsDebug ? put("debug") : () => undefined,
    info: put("info"),
    warn: put("warn"),
    error: put("error"),
    flush() {},
  };
}

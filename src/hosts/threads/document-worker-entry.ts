/** Entry point of the worker threads that run verbs on documents; `document-worker.ts` is the other end. */
import { parentPort, workerData } from "node:worker_threads";
import type { DocumentGrant } from "../../authorization.ts";
import { createDocumentFile } from "../../doc/create-document.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { guarded, reportCallbackErrors, stackOf } from "../../lib/callbacks.ts";
import { yieldToEventLoop, runSoon } from "../../lib/time/timers.ts";
import { drainMeasurements, mergeMeasurements } from "../../lib/observability/measurements.ts";
import type { Log, LogFields, LogLevel } from "../../lib/observability/log.ts";
import { serializeError } from "./serialized-error.ts";
import { type Answer, DocumentExecutor } from "../document-executor.ts";
import { LargeResponse } from "../verbs/render.ts";
import { warmUp } from "../warm-up.ts";
import {
  transferablesOf,
  MAX_BATCH_SIZE,
  type NumberedRequest,
  type WorkerReply,
  type WorkerInit,
} from "./worker-messages.ts";

const { showsDebug, ...runtimeOptions } = workerData as WorkerInit;

const executor = new DocumentExecutor({
  ...runtimeOptions,
  clock: systemClock,
  log: createForwardingLog(),
  onEvents: (uuid, seen) => sendReply({ kind: "events", uuid, seen }),
  onRecalculated: (uuid, seen) => sendReply({ kind: "recalculated", uuid, seen }),
  onRulesChanged: (grant, count, seen) => sendReply({ kind: "rulesChanged", uuid: grant.uuid, grant, count, seen }),
  ...(runtimeOptions.access === "write" && {
    onMaintenanceDue: (uuid: string) => sendReply({ kind: "maintenanceDue", uuid }),
    onCloseDue: (uuid: string) => sendReply({ kind: "closeDue", uuid }),
    onLogLarge: (uuid: string) => sendReply({ kind: "logLarge", uuid }),
  }),
  // Answers of reads that ran before must not wait for the change.
  onChange: flushReplies,
  onOpened(uuid) {
    sendReply({ kind: "opened", uuid });
    // Now: a long change may follow, beside which the document can be read.
    flushReplies();
  },
  onCommitted: (uuid, commit) => sendReply({ kind: "committed", uuid, commit }, transferablesOf(commit)),
  onClosed: (uuid, file) => sendReply({ kind: "closed", uuid, file }),
});

reportCallbackErrors((error) =>
  sendReply({ kind: "log", level: "error", event: "callback.failed", fields: { error: stackOf(error) } }),
);

parentPort?.on(
  "message",
  guarded((requests: readonly NumberedRequest[]) => handleRequests(requests)),
);

async function handleRequests(requests: readonly NumberedRequest[]): Promise<void> {
  for (const request of requests) {
    void handleRequest(request);
    // Lets finished requests send their replies before the next one starts.
    await Promise.resolve();
  }
}

async function handleRequest(request: NumberedRequest): Promise<void> {
  const { id } = request;
  if (request.kind === "call") return sendAnswer(id, await executor.call(request.grant, request.verb, request.args));
  try {
    const pending = perform(request);
    const result = pending instanceof Promise ? ((await pending) as unknown) : pending;
    sendReply({ kind: "result", id, result }, transferablesOf(result));
  } catch (error) {
    sendReply({ kind: "error", id, error: serializeError(error) });
  }
}

function sendAnswer(id: number, answer: Answer): void {
  const { seen } = answer;
  if (!("error" in answer))
    sendReply({ kind: "result", id, result: answer.result, seen }, transferablesOf(answer.result));
  else if (answer.error instanceof LargeResponse) sendReply({ kind: "large", id });
  else sendReply({ kind: "error", id, error: serializeError(answer.error), seen });
}

function perform(request: Exclude<NumberedRequest, { kind: "call" }>): unknown {
  switch (request.kind) {
    case "next":
      return executor.next(request.uuid, request.cursor);
    case "release":
      return executor.release(request.uuid, request.cursor);
    case "createFile":
      return createDocumentFile(request.path, { now: Date.now() });
    case "warmUp":
      return runWarmUp(request.grant);
    case "closeDocument":
      return executor.closeDocument(request.uuid);
    case "checkpoint":
      return executor.checkpoint(request.uuid);
    case "handOver":
      return executor.handOver(request.uuid);
    case "beginBase":
      return executor.hold(request.uuid);
    case "endBase":
      return executor.endHold(request.uuid);
    case "measure":
      return drainMeasurements();
    case "shrink":
      return Bun.gc(true);
    case "closeAll":
      return closeAll();
    default:
      return request satisfies never;
  }
}

/** Its changes are no changes of documents, and not counted. */
async function runWarmUp(grant: DocumentGrant): Promise<void> {
  const measured = drainMeasurements();
  try {
    await warmUp(grant, { ...runtimeOptions, clock: systemClock, log: createForwardingLog() });
  } finally {
    drainMeasurements();
    mergeMeasurements(measured);
  }
}

/** Answered after all earlier requests. */
async function closeAll(): Promise<void> {
  executor.close();
  await yieldToEventLoop();
}

let pendingReplies: WorkerReply[] = [];
let transferList: ArrayBuffer[] = [];

function sendReply(reply: WorkerReply, buffers: readonly ArrayBuffer[] = []): void {
  pendingReplies.push(reply);
  transferList.push(...buffers);
  if (pendingReplies.length >= MAX_BATCH_SIZE) flushReplies();
  else if (pendingReplies.length === 1) runSoon(flushReplies);
}

/** Sends the pending replies. */
function flushReplies(): void {
  if (pendingReplies.length === 0) return;
  const [replies, buffers] = [pendingReplies, transferList];
  pendingReplies = [];
  transferList = [];
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- applies to windows, not to worker threads
  parentPort?.postMessage(replies, buffers);
}

/** Forwards log lines to the main thread, which writes the log. */
function createForwardingLog(): Log {
  const forward = (level: LogLevel) => (event: string, fields?: LogFields) =>
    sendReply({ kind: "log", level, event, fields });
  return {
    // The main thread filters all levels; only debug lines are too many to forward.
    isEnabled: (level) => level !== "debug" || showsDebug,
    recentProblems: () => [],
    debug: showsDebug ? forward("debug") : () => undefined,
    info: forward("info"),
    warn: forward("warn"),
    error: forward("error"),
    flush() {},
  };
}

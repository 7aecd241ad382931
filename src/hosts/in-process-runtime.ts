import type { DocumentGrant } from "../authorization.ts";
import { createDocumentFile } from "../doc/create-document.ts";
import { FORMULA_LIMITS } from "../doc/document.ts";
import { HISTORY_LIMITS } from "../doc/history.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { yieldToEventLoop } from "../lib/time/timers.ts";
import { AnswerGate } from "./answer-gate.ts";
import { DocumentExecutor } from "./document-executor.ts";
import type { Documents } from "./documents.ts";
import {
  type DocumentOwnership,
  type DocumentRuntime,
  type RuntimeCallbacks,
  type RuntimeOptions,
  whenOwned,
} from "./document-runtime.ts";
import { shuttingDown } from "./shutting-down.ts";
import { waitForHeldFile } from "./held-file.ts";
import { createStoredDocuments } from "./stored-documents.ts";
import { warmUp } from "./warm-up.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

export interface InProcessRuntimeOptions extends Partial<RuntimeOptions>, RuntimeCallbacks {
  /** Decides when answers leave; if omitted they always leave at once. */
  readonly gate?: AnswerGate;
  /** Decides which documents may be opened; if omitted all may. */
  readonly ownership?: DocumentOwnership | undefined;
  /** The data folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps documents open in the current thread. */
export function createInProcessRuntime(options: InProcessRuntimeOptions): DocumentRuntime {
  const { clock, durability = "full", maxOpen = 100, idleMs = 60_000, groupCommit = true } = options;
  const { history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
  const { gate = new AnswerGate(), ownership, onEvents, onRecalculated, onRulesChanged } = options;
  const executor = new DocumentExecutor({
    ...options,
    durability,
    maxOpen,
    idleMs,
    groupCommit,
    history,
    formulas,
    onEvents: (uuid, seen) => gate.pass(uuid, seen, () => onEvents?.(uuid)),
    onRecalculated: (uuid, seen) => gate.pass(uuid, seen, () => onRecalculated?.(uuid)),
    onRulesChanged: (grant, count, seen) => gate.pass(grant.uuid, seen, () => onRulesChanged?.(grant, count)),
  });
  let isClosed = false;
  const call = async <V extends VerbName>(grant: DocumentGrant, name: V, args: VerbArgs<V>): Promise<VerbResult<V>> => {
    if (isClosed) throw shuttingDown();
    await whenOwned(ownership, grant.uuid);
    const answer = await executor.call(grant, name, args);
    if (!gate.isOpen(grant.uuid)) {
      await new Promise<void>((leave, refuse) => gate.pass(grant.uuid, answer.seen, { leave, refuse }));
    }
    if ("error" in answer) throw answer.error;
    return answer.result as VerbResult<V>;
  };
  // Async functions, so that errors become rejections although most work is synchronous.
  return {
    call,
    async released(grant) {
      if (!gate.isOpen(grant.uuid)) await call(grant, "document.mayCopy", null);
    },
    async next(uuid, cursor) {
      // Let other requests run between two chunks of a large answer.
      await yieldToEventLoop();
      return executor.next(uuid, cursor);
    },
    async release(uuid, cursor) {
      executor.release(uuid, cursor);
    },
    async createFile(path) {
      createDocumentFile(path, { now: clock.now() });
    },
    warmUp: (grant) => warmUp(grant, { ...options, durability, maxOpen, idleMs, groupCommit, history, formulas }),
    async whileClosed(uuid, work) {
      executor.closeDocument(uuid);
      return work();
    },
    beginBase: (uuid) => waitForHeldFile(async () => (isClosed ? Promise.reject(shuttingDown()) : executor.hold(uuid))),
    endBase: async (uuid) => executor.endHold(uuid),
    isStreaming: (uuid) => executor.isStreaming(uuid),
    isOpen: (uuid) => executor.isOpen(uuid),
    // Measurements of this thread need no merging.
    measure: async () => ({ open: executor.openCount, threads: 0, readers: 0, logBytes: executor.logBytes }),
    async close() {
      if (!isClosed) executor.close();
      isClosed = true;
    },
  };
}

/** Returns the documents of a server, all open in the current thread. */
export function createInProcessDocuments(options: InProcessRuntimeOptions): Documents {
  const { folder, clock, log, formulas = FORMULA_LIMITS } = options;
  const runtimeOptions = { ...DEFAULTS, folder, formulas };
  const snapshots = { list: async () => [], decompress: async () => {} };
  const past = { runtimeOptions, hangMs: HANG_MS, snapshots };
  return createStoredDocuments({ folder, clock, log, formulas, past, runtime: createInProcessRuntime(options) });
}

const DEFAULTS = {
  durability: "full",
  maxOpen: 100,
  idleMs: 60_000,
  groupCommit: true,
  history: HISTORY_LIMITS,
} as const;

const HANG_MS = 600_000;

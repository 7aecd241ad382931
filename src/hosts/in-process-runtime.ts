import type { DocumentGrant } from "../authorization.ts";
import { createDocumentFile } from "../doc/create-document.ts";
import { FORMULA_LIMITS } from "../doc/document.ts";
import { HISTORY_LIMITS } from "../doc/history.ts";
import { AppError } from "../errors.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { Log } from "../lib/observability/log.ts";
import { yieldToEventLoop } from "../lib/time/timers.ts";
import { DocumentExecutor } from "./document-executor.ts";
import type { Documents } from "./documents.ts";
import type { RuntimeCallbacks, DocumentRuntime, RuntimeOptions } from "./document-runtime.ts";
import { createStoredDocuments } from "./stored-documents.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

export interface InProcessRuntimeOptions extends Partial<RuntimeOptions>, RuntimeCallbacks {
  /** The data folder. */
  readonly folder: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps documents open in the current thread. */
export function createInProcessRuntime(options: InProcessRuntimeOptions): DocumentRuntime {
  const { clock, durability = "full", maxOpen = 100, idleMs = 60_000, groupCommit = true } = options;
  const { history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
  const executor = new DocumentExecutor({ ...options, durability, maxOpen, idleMs, groupCommit, history, formulas });
  let isClosed = false;
  // Async functions, so that errors become rejections although most work is synchronous.
  return {
    async call<V extends VerbName>(grant: DocumentGrant, name: V, args: VerbArgs<V>): Promise<VerbResult<V>> {
      if (isClosed) throw shuttingDown();
      return (await executor.call(grant, name, args)) as VerbResult<V>;
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
    async whileClosed(uuid, work) {
      executor.closeDocument(uuid);
      return work();
    },
    // Measurements of this thread need no merging.
    measure: async () => ({ open: executor.openCount, threads: 0 }),
    async close() {
      if (!isClosed) executor.close();
      isClosed = true;
    },
  };
}

/** Returns the documents of a server, all open in the current thread. */
export const createInProcessDocuments = (options: InProcessRuntimeOptions): Documents =>
  createStoredDocuments({
    folder: options.folder,
    clock: options.clock,
    log: options.log,
    formulas: options.formulas,
    runtime: createInProcessRuntime(options),
  });

const shuttingDown = (): AppError =>
  new AppError("server.shutting_down", "The server is shutting down", { retryAfterS: 5 });

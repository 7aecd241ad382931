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

/** Documents in this thread. */
export function createInProcessRuntime(options: InProcessRuntimeOptions): DocumentRuntime {
  const { clock, durability = "full", maxOpen = 100, idleMs = 60_000, groupCommit = true } = options;
  const { history = HISTORY_LIMITS, formulas = FORMULA_LIMITS } = options;
  const executor = new DocumentExecutor({ ...options, durability, maxOpen, idleMs, groupCommit, history, formulas });
  let isClosed = false;
  // Asynchronous functions, so that refusals are rejections even though most happens at once.
  return {
    async call<V extends VerbName>(grant: DocumentGrant, name: V, args: VerbArgs<V>): Promise<VerbResult<V>> {
      if (isClosed) throw shuttingDown();
      return (await executor.call(grant, name, args)) as VerbResult<V>;
    },
    async next(uuid, cursor) {
      // Between two portions of a large answer others have their turn.
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
    // In this thread, measurements are where they belong.
    measure: async () => ({ open: executor.openCount, threads: 0 }),
    async close() {
      if (!isClosed) executor.close();
      isClosed = true;
    },
  };
}

/** A server's documents, all in this thread. */
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

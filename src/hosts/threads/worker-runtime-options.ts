import type { Log } from "../../lib/observability/log.ts";
import type { AnswerGate } from "../answer-gate.ts";
import type { DocumentOwnership, RuntimeCallbacks, RuntimeOptions } from "../document-runtime.ts";

export interface WorkerRuntimeOptions extends RuntimeCallbacks {
  readonly runtimeOptions: RuntimeOptions;
  readonly log: Log;
  /** Decides when answers leave; if omitted they always leave at once. */
  readonly gate?: AnswerGate;
  /** Decides which documents may be opened; if omitted all may. */
  readonly ownership?: DocumentOwnership | undefined;
  /** Maximum number of worker threads; each starts when needed. */
  readonly maxWorkers: number;
  /** Maximum number of threads that read documents beside changes; the number of processors if omitted. */
  readonly maxReaders?: number | undefined;
  /** A worker that runs one call for longer is terminated. */
  readonly hangMs: number;
  /** Above this resident memory of the process unused documents are closed; 0 = no limit. */
  readonly maxMemoryBytes: number;
}

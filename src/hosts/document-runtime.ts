import type { DocumentGrant } from "../authorization.ts";
import type { FormulaLimits } from "../doc/document.ts";
import type { HistoryLimits } from "../doc/history.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

/** Current number of documents and threads. */
export interface RuntimeLoad {
  /** Number of open documents. */
  readonly open: number;
  /** Number of worker threads; 0 when the documents are open in the main thread. */
  readonly threads: number;
}

/** Keeps documents open and runs verbs on them, in the main thread or in worker threads. */
export interface DocumentRuntime {
  /** As `Documents.call`. */
  call<V extends VerbName>(grant: DocumentGrant, verb: V, args: VerbArgs<V>): Promise<VerbResult<V>>;
  /** As `Documents.next`. */
  next(uuid: string, cursor: string): Promise<Uint8Array | null>;
  /** As `Documents.release`. */
  release(uuid: string, cursor: string): Promise<void>;
  /** Writes the file of a new document with one empty table. */
  createFile(path: string): Promise<void>;
  /**
   * Closes a document and keeps it closed while `work` runs synchronously; calls that arrive meanwhile see the file
   * that `work` left. Open cursors are closed.
   */
  whileClosed<T>(uuid: string, work: () => T): Promise<T>;
  /** As `Documents.measure`. */
  measure(): Promise<RuntimeLoad>;
  /** Completes pending calls and closes all documents; rejects later calls. */
  close(): Promise<void>;
}

/** Notifications from the runtime about its documents. */
export interface RuntimeCallbacks {
  /** Called after a commit that queued events for webhooks. */
  readonly onEvents?: ((uuid: string) => void) | undefined;
  /** Called when recomputing clock-dependent formulas changed cells. */
  readonly onRecalculated?: ((uuid: string) => void) | undefined;
  /** Called before an idle document is closed if it may contain expired unused attachments; it stays open. */
  readonly onMaintenanceDue?: ((uuid: string) => void) | undefined;
}

/** Options of open documents, the same for every runtime: plain data, so that it can be sent to worker threads. */
export interface RuntimeOptions {
  /** The data folder; each document has its own folder below `docs/`. */
  readonly folder: string;
  readonly durability: "full" | "normal";
  /** Maximum number of open documents. */
  readonly maxOpen: number;
  /** Idle time after which a document is closed. */
  readonly idleMs: number;
  /** How much history each document keeps. */
  readonly history: HistoryLimits;
  /** Resource limits for the formulas of each document. */
  readonly formulas: FormulaLimits;
  /** Maximum number of pending events per webhook. */
  readonly queueEvents?: number;
  /** Base URL of the document pages; the URL of a document's page is built from it. */
  readonly pagesUrl?: string | undefined;
  /** Whether concurrent changes to the same document are committed together (group commit). */
  readonly groupCommit: boolean;
  /** SQL statements that take at least this many milliseconds are logged as warnings; 0 disables it. */
  readonly slowMs?: number;
}

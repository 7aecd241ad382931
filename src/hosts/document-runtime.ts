import type { DocumentGrant } from "../authorization.ts";
import type { ChangeCount } from "../doc/change-counter.ts";
import type { Durability, FormulaLimits, LoggedCommit } from "../doc/document.ts";
import type { HistoryLimits } from "../doc/history.ts";
import type { HeldFile } from "./held-file.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

/** Current number of documents and threads. */
export interface RuntimeLoad {
  /** Number of open documents. */
  readonly open: number;
  /** Number of worker threads; 0 when the documents are open in the main thread. */
  readonly threads: number;
  /** Number of threads that read documents beside changes. */
  readonly readers: number;
  /** Total size of the write-ahead logs of open documents. */
  readonly logBytes: number;
}

/** Keeps documents open and runs verbs on them, in the main thread or in worker threads. */
export interface DocumentRuntime {
  /** As `Documents.call`. */
  call<V extends VerbName>(grant: DocumentGrant, verb: V, args: VerbArgs<V>): Promise<VerbResult<V>>;
  /** As `Documents.next`. */
  next(uuid: string, cursor: string): Promise<Uint8Array | null>;
  /** As `Documents.release`. */
  release(uuid: string, cursor: string): Promise<void>;
  /** As `Documents.released`. */
  released(grant: DocumentGrant): Promise<void>;
  /** Writes the file of a new document with one empty table. */
  createFile(path: string): Promise<void>;
  /**
   * Starts threads for documents that are about to be opened here, and has them run what requests run, so that the first
   * ones do not wait until code is loaded and compiled. Threads that have documents are left alone.
   * @param grant on a document that does not exist
   */
  warmUp(grant: DocumentGrant, options: { readonly threads: number }): Promise<void>;
  /**
   * Closes a document and keeps it closed while `work` runs synchronously; calls that arrive meanwhile see the file
   * that `work` left. Open cursors are closed.
   */
  whileClosed<T>(uuid: string, work: () => T): Promise<T>;
  /**
   * In log mode: moves all commits into a document's file, opening it if necessary, and keeps the file unchanged until
   * `endBase`; reads and changes continue. Another thread may read the file, in a process of its own: closing a handle of
   * it in this process would drop SQLite's locks.
   * @throws AppError `unavailable` when large reads prevent it, `conflict` when it is held already
   */
  beginBase(uuid: string): Promise<HeldFile>;
  /**
   * Ends `beginBase`. Returns false when the file may have changed: the document was closed meanwhile, to be replaced or
   * removed, or its thread was lost.
   */
  endBase(uuid: string): Promise<boolean>;
  /** True while a thread has a document open, or requests for it. */
  isOpen(uuid: string): boolean;
  /** True while clients receive large responses from a document's file. */
  isStreaming(uuid: string): boolean;
  /** As `Documents.measure`. */
  measure(): Promise<RuntimeLoad>;
  /** Completes pending calls and closes all documents; rejects later calls. */
  close(): Promise<void>;
}

/** Decides whether documents may be opened here, where several servers share them. */
export interface DocumentOwnership {
  /**
   * Returns null while this server owns a document and its file is current; otherwise a promise of that. Called before
   * each request to a thread, in the same turn of the event loop.
   */
  own(uuid: string): Promise<void> | null;
}

/** Resolves when this server owns a document. @throws AppError if it cannot */
export async function whenOwned(ownership: DocumentOwnership | undefined, uuid: string): Promise<void> {
  for (let owning = ownership?.own(uuid); owning; owning = ownership?.own(uuid)) await owning;
}

/** Notifications from the runtime about its documents. */
export interface RuntimeCallbacks {
  /** Called after a commit that queued events for webhooks. */
  readonly onEvents?: ((uuid: string) => void) | undefined;
  /** Called when recomputing clock-dependent formulas changed cells. */
  readonly onRecalculated?: ((uuid: string) => void) | undefined;
  /** Called after a commit that changed access rules, with the caller and the number of changed rows. */
  readonly onRulesChanged?: ((grant: DocumentGrant, count: number) => void) | undefined;
  /** In log mode: called after each commit, before answers that saw it are passed to the gate. */
  readonly onCommitted?: ((uuid: string, commit: LoggedCommit) => void) | undefined;
  /** In log mode: called after a document was closed. */
  readonly onClosed?: ((uuid: string, file: ClosedFile) => void) | undefined;
  /** Called when the thread of open documents was lost; their last commits may not have been reported. */
  readonly onLost?: ((uuids: readonly string[]) => void) | undefined;
  /** Called before an idle document is closed if it may contain expired unused attachments; it stays open. */
  readonly onMaintenanceDue?: ((uuid: string) => void) | undefined;
}

/** A document's file after the document was closed. */
export interface ClosedFile {
  /** The last commit; null when it is not known. */
  readonly count: ChangeCount | null;
  /** True when the file alone has the content of that commit, on the disk. */
  readonly isClean: boolean;
}

/** Options of open documents, the same for every runtime: plain data, so that it can be sent to worker threads. */
export interface RuntimeOptions {
  /** The data folder; each document has its own folder below `docs/`. */
  readonly folder: string;
  readonly durability: Durability;
  /** True for readers of past states: their documents are files named after a state. */
  readonly isPast?: boolean;
  /**
   * Log mode: each commit is reported with its pages, files stay in WAL mode when they are closed, and only the
   * documents' own connections run checkpoints.
   */
  readonly isLogged?: boolean;
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
  /** Whether reads of large responses are left to readers, so that they do not delay changes, nor wait for them. */
  readonly handsOffLargeReads?: boolean;
  /** SQL statements that take at least this many milliseconds are logged as warnings; 0 disables it. */
  readonly slowMs?: number;
  /** Maximum memory of the indexes of all documents of a thread; 64 MB by default. */
  readonly indexBytes?: number;
}

import type { DocumentGrant } from "../authorization.ts";
import type { FormulaLimits } from "../doc/document.ts";
import type { HistoryLimits } from "../doc/history.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

/** What there is just now. */
export interface RuntimeLoad {
  /** Documents that are open. */
  readonly open: number;
  /** Threads that hold them; none where they are in the main thread. */
  readonly threads: number;
}

/** A place where documents are open: this thread, or several others. */
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
   * Closes a document and keeps it closed while `work` runs, which is synchronous: calls that come meanwhile find what
   * it left. Large answers under way break off.
   */
  whileClosed<T>(uuid: string, work: () => T): Promise<T>;
  /** As `Documents.measure`. */
  measure(): Promise<RuntimeLoad>;
  /** Finishes what was asked and closes all documents; refuses whatever comes afterwards. */
  close(): Promise<void>;
}

/** What a host tells of its documents unasked. */
export interface RuntimeCallbacks {
  /** Called after a commit that left something to be sent to webhooks. */
  readonly onEvents?: ((uuid: string) => void) | undefined;
  /** Called when formulas that read the clock were computed and gave something else. */
  readonly onRecalculated?: ((uuid: string) => void) | undefined;
  /** Called when an idle document is about to be closed whose attachments may be unused for too long; it stays open. */
  readonly onUpkeepDue?: ((uuid: string) => void) | undefined;
}

/** How documents are kept open; the same for every host, and plain data, so that threads can be told. */
export interface RuntimeOptions {
  /** The data folder; each document has one of its own below `docs/`. */
  readonly folder: string;
  readonly durability: "full" | "normal";
  /** How many documents are kept open. */
  readonly maxOpen: number;
  /** After how long unused a document is closed. */
  readonly idleMs: number;
  /** How much history each document keeps. */
  readonly history: HistoryLimits;
  /** What the formulas of each document may use up. */
  readonly formulas: FormulaLimits;
  /** How many events may wait for each webhook. */
  readonly queueEvents?: number;
  /** The address of the page of all documents, which those of documents begin with. */
  readonly pagesUrl?: string | undefined;
  /** Whether changes that wait for the same document are committed together. */
  readonly groupCommit: boolean;
  /** SQL statements that take at least so many milliseconds are logged as warnings; 0 logs none. */
  readonly slowMs?: number;
}

import type { DocumentGrant } from "../authorization.ts";
import type { FilledDocument } from "../doc/import-tables.ts";
import type { TableReport } from "../doc/import-report.ts";
import type { TypedFile } from "../exchange/infer-tables.ts";
import type { StagedTable } from "../exchange/staging.ts";
import type { TableReadOptions } from "../exchange/table-parts.ts";
import type { ContentFile } from "../doc/attachments/embed-contents.ts";
import type { StoredContent } from "../doc/attachments/contents.ts";
import type { FileToImport } from "./files/file-job.ts";
import type { RuntimeLoad } from "./document-runtime.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

export type { StagedTable } from "../exchange/staging.ts";
export type { TableReport } from "../doc/import-report.ts";
export type { FileToImport } from "./files/file-job.ts";
export type { ImportReport } from "./verbs/imports.ts";
export type { Attempt, Batch, DueBatches, Outcome, Retry, SentDelivery } from "./verbs/deliveries.ts";
export type { StateDetails, TableChangeDetails } from "./history-verbs.ts";
export type { WebhookListing, WebhookDefinition, WebhookInput } from "./verbs/webhooks.ts";
export type { ChangeSignal } from "./change-notifier.ts";
export type { ChangeFeedBatch, ChangeFeedEntry, ChangeFeedPosition, TableChangeEntry } from "./event-verbs.ts";
export type { CacheCondition, Rendered } from "./rendered.ts";

export type { RuntimeLoad } from "./document-runtime.ts";

export interface ImportedDocument {
  readonly tables: number;
  readonly rows: number;
}

/** A document's file that was written for somebody. */
export interface ExportedFile {
  readonly path: string;
  /** The contents of attachments that it refers to in stores. */
  readonly stored: readonly StoredContent[];
}

/** What becomes of a content that is replaced. */
export interface ReplaceOptions {
  /** Where its file lies afterwards, with no change missing; nowhere when absent. */
  readonly keepAs?: string | undefined;
}

/**
 * Where documents live, and the only door to them: asynchronous, with arguments and results that survive structured
 * cloning, so that what stands behind it may be this thread or others. Documents are known by their UUID.
 */
export interface Documents {
  /** Runs one verb; calls for one document run in the order they arrive. */
  call<V extends VerbName>(grant: DocumentGrant, verb: V, args: VerbArgs<V>): Promise<VerbResult<V>>;
  /** The next bytes of a large answer, sometimes none yet; null at its end, which also closes it. */
  next(uuid: string, cursor: string): Promise<Uint8Array | null>;
  /** Gives up a large answer early. */
  release(uuid: string, cursor: string): Promise<void>;
  /** Makes the file of a new document with one empty table. */
  create(uuid: string): Promise<void>;
  /**
   * Makes a document of a document file, which is not changed: it is checked and brought up to date on a copy. Leaves
   * nothing behind when it refuses.
   */
  importFile(uuid: string, file: FileToImport): Promise<ImportedDocument>;
  /** Makes a document of the staged tables of a file. Leaves nothing behind when it refuses. */
  createFromTables(uuid: string, file: TypedFile): Promise<FilledDocument>;
  /** What `createOfTables` would make. */
  previewTables(file: TypedFile): Promise<readonly TableReport[]>;
  /** Reads the tables of a file into temporary files, which whoever asked removes. */
  stageFile(file: FileToImport, choices: TableReadOptions): Promise<readonly StagedTable[]>;
  /**
   * A copy of a document's file under another UUID; as a template without rows, attachments and history. Answers the
   * contents of attachments that it refers to in stores: they do not come along by themselves.
   */
  copy(grant: DocumentGrant, to: string, options: { asTemplate: boolean }): Promise<readonly StoredContent[]>;
  /**
   * Writes the document's file as it is at this moment to a temporary file, with webhooks switched off, and gives its
   * path; whoever asked removes it. As a template as for `copy`; without history only the newest state's name stays.
   */
  exportFile(grant: DocumentGrant, options: { asTemplate: boolean; withoutHistory: boolean }): Promise<ExportedFile>;
  /** Puts contents of attachments into a file that was made by `exportFile`. */
  embed(path: string, contents: readonly ContentFile[]): Promise<void>;
  /**
   * The document's content becomes that of `source`. Large answers under way break off; every other request finds
   * the one or the other whole. Answers what `copy` does.
   */
  replace(grant: DocumentGrant, source: DocumentGrant, options: ReplaceOptions): Promise<readonly StoredContent[]>;
  /**
   * As `replace`, with an earlier content of the same document: one clean file, which is moved. What waits for its
   * webhooks goes on waiting. Works where the document's present file cannot be read, too.
   */
  restoreContent(grant: DocumentGrant, file: string, options: ReplaceOptions): Promise<void>;
  /** What was written to the document is on the disk when this ends, however durable single writes are. */
  flush(grant: DocumentGrant): Promise<void>;
  /** Closes the document, so that the next request opens it anew. Large answers under way break off. */
  reload(grant: DocumentGrant): Promise<void>;
  /** How large a document's file is, with what was not yet brought into it; null when there is none. */
  sizeBytes(uuid: string): number | null;
  /** True for a document that was not closed as it should be, and is not open now. */
  hasUncleanShutdown(uuid: string): boolean;
  /** Closes and deletes a document's folder; fine when there is none. */
  remove(uuid: string): Promise<void>;
  /** Adds what was measured where documents live to this thread's measurements, and tells what is there just now. */
  measure(): Promise<RuntimeLoad>;
  /** Finishes what is under way and closes all documents. */
  close(): Promise<void>;
}

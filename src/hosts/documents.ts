import type { DocumentGrant } from "../authorization.ts";
import type { State } from "../doc/history/states.ts";
import type { JobControl } from "./job-control.ts";
import type { FilledDocument } from "../doc/import-tables.ts";
import type { TableReport } from "../doc/import-report.ts";
import type { DryRunReport } from "../doc/dry-run/run-dry.ts";
import type { TemplateName } from "../doc/templates/template.ts";
import type { TypedFile } from "../exchange/infer-tables.ts";
import type { StagedTable } from "../exchange/staging.ts";
import type { TableReadOptions } from "../exchange/table-parts.ts";
import type { ContentFile } from "../doc/attachments/embed-contents.ts";
import type { StoredContent } from "../doc/attachments/contents.ts";
import type { FileToImport } from "./files/file-job.ts";
import type { RuntimeLoad } from "./document-runtime.ts";
import type { Rendered } from "./verbs/render.ts";
import type { PastResult, PastVerb } from "./past/past-states.ts";
import type { VerbArgs, VerbName, VerbResult } from "./verbs/verbs.ts";

export type { StagedTable } from "../exchange/staging.ts";
export type { TableReport } from "../doc/import-report.ts";
export type { FileToImport } from "./files/file-job.ts";
export type { DryRunReport } from "../doc/dry-run/run-dry.ts";
export type { ImportReport } from "./verbs/imports.ts";
export type { Attempt, Batch, DueBatches, Outcome, Retry, SentDelivery } from "./verbs/deliveries.ts";
export type { OpenForm } from "./verbs/forms.ts";
export type { VerbArgs } from "./verbs/verbs.ts";
export type { AddedAnswers } from "../doc/forms/add-answers.ts";
export type { FieldProblem, ProblemCode } from "../doc/forms/field-problems.ts";
export type { FormField } from "../doc/forms/form-definition.ts";
export type { OfferedRow } from "../doc/forms/offered-rows.ts";
export type { LinkedRecord } from "../doc/forms/linked-rows.ts";
export type { StateDetails, TableChangeDetails } from "./verbs/history.ts";
export type { Job, JobDefinition, JobSummary, NextJob } from "./verbs/jobs.ts";
export type { AddedWebhook, WebhookListing, WebhookDefinition, WebhookInput } from "./verbs/webhooks.ts";
export type { ChangeSignal } from "./change-notifier.ts";
export type { ChangeFeedBatch, ChangeFeedEntry, ChangeFeedPosition, TableChangeEntry } from "./verbs/history.ts";
export type {
  LiveKeys,
  LiveQueryArgs,
  LiveRead,
  LiveReset,
  LiveState,
  ResumedState,
  Resumption,
} from "./verbs/live/live.ts";
export type { CacheCondition, Rendered } from "./verbs/render.ts";

export type { PastResult, PastVerb } from "./past/past-states.ts";
export type { RuntimeLoad } from "./document-runtime.ts";

export interface ImportedDocument {
  readonly tables: number;
  readonly rows: number;
}

/** A copy of a document's file, written for export. */
export interface ExportedFile {
  readonly path: string;
  /** The contents of attachments that it refers to in stores. */
  readonly stored: readonly StoredContent[];
}

/** What happens to the content that is replaced. */
export interface ReplaceOptions {
  /** Path to which the previous file is preserved, with all committed changes; absent to discard it. */
  readonly keepAs?: string | undefined;
  /** The hash that the newest state of the previous file has to have; `restoreContent` only. */
  readonly ifState?: string | undefined;
}

/**
 * The only way to access documents. Asynchronous, with arguments and results that survive structured cloning, so that
 * documents may be open in this thread or in worker threads. Documents are identified by their UUID.
 */
export interface Documents {
  /**
   * Runs one verb. Changes of the same document run in order of arrival. A verb that reads a snapshot sees every change
   * that was acknowledged before the call, and does not wait for others.
   */
  call<V extends VerbName>(grant: DocumentGrant, verb: V, args: VerbArgs<V>): Promise<VerbResult<V>>;
  /**
   * Runs a verb on the document as it was at a state: its number, or a time in ISO 8601. For callers who may copy the whole
   * document as it is now; the rules of that state do not apply.
   * @throws AppError `forbidden`; `at.invalid`, `state.not_found`, `state.pruned`, `history.incomplete`; `storage`
   */
  callAt<V extends PastVerb>(
    grant: DocumentGrant,
    at: string,
    call: { verb: V; args: VerbArgs<V> },
  ): Promise<PastResult<Rendered>>;
  /** Calls `use` with the path of a file with the document as it was at a state, as `callAt`. */
  withFileAt<T>(grant: DocumentGrant, at: string, use: (path: string) => Promise<T>): Promise<PastResult<T>>;
  /** Returns the next bytes of a large answer, sometimes zero bytes; null at its end, which also closes the cursor. */
  next(uuid: string, cursor: string): Promise<Uint8Array | null>;
  /** Closes the cursor of a large answer early. */
  release(uuid: string, cursor: string): Promise<void>;
  /**
   * Resolves when an answer may leave that saw the document's present content other than through `call`: in an SQL
   * process, or in a copy of the file.
   */
  released(grant: DocumentGrant): Promise<void>;
  /** Creates the file of a new document with one empty table. */
  create(uuid: string): Promise<void>;
  /** Creates a document with the tables and rows of a template. */
  createFromTemplate(uuid: string, name: TemplateName): Promise<void>;
  /**
   * Creates a document from a document file, which is not changed: a copy is validated and migrated. Leaves no files
   * behind when it throws.
   */
  importFile(uuid: string, file: FileToImport, control?: JobControl): Promise<ImportedDocument>;
  /** Creates a document from the staged tables of a file. Leaves no files behind when it throws. */
  createFromTables(uuid: string, file: TypedFile, control?: JobControl): Promise<FilledDocument>;
  /** Returns what `createFromTables` would create. */
  previewTables(file: TypedFile, control?: JobControl): Promise<readonly TableReport[]>;
  /** Returns what the verb `tables.import` would do, which runs on a copy of the document. */
  previewImport(
    grant: DocumentGrant,
    args: Omit<VerbArgs<"tables.import">, "dryRun">,
    control?: JobControl,
  ): Promise<DryRunReport>;
  /** Reads the tables of a file into temporary files, which the caller removes. */
  stageFile(file: FileToImport, choices: TableReadOptions, control?: JobControl): Promise<readonly StagedTable[]>;
  /**
   * Copies a document's file to another UUID; as a template without rows, attachments and history. Returns the
   * attachment contents that the copy references in stores: the caller copies them.
   */
  copy(grant: DocumentGrant, to: string, options: { asTemplate: boolean }): Promise<readonly StoredContent[]>;
  /**
   * Writes a snapshot of the document's file to a temporary file, with webhooks disabled, and returns its path; the
   * caller removes it. For `asTemplate` see `copy`; without history only the name of the newest state is kept.
   */
  exportFile(grant: DocumentGrant, options: { asTemplate: boolean; withoutHistory: boolean }): Promise<ExportedFile>;
  /** Embeds attachment contents in a file that `exportFile` wrote. */
  embed(path: string, contents: readonly ContentFile[]): Promise<void>;
  /**
   * Replaces the document's content with that of `source`. Open cursors are closed; every other request sees either the
   * old or the new content. Returns the same as `copy`.
   */
  replace(grant: DocumentGrant, source: DocumentGrant, options: ReplaceOptions): Promise<readonly StoredContent[]>;
  /**
   * As `replace`, with an earlier version of the same document: one clean file, which is moved. Pending webhook events
   * are carried over. Works even when the current file cannot be read, unless a state is expected.
   * @throws AppError `document.state_changed`
   */
  restoreContent(grant: DocumentGrant, file: string, options: ReplaceOptions): Promise<void>;
  /**
   * Copies the document's file to the path that `pathOf` returns, if it returns one, and returns the newest state. Open
   * cursors are closed. In a cluster the log has the content, and `pathOf` returns none.
   */
  keepContent(grant: DocumentGrant, pathOf: () => string | undefined): Promise<State>;
  /** Makes everything written so far durable on disk, independent of the durability of single writes. */
  flush(grant: DocumentGrant): Promise<void>;
  /** Closes the document, so that the next request reopens it. Open cursors are closed. */
  reload(grant: DocumentGrant): Promise<void>;
  /** Returns the size of a document's file including its write-ahead log; null when it does not exist. */
  sizeBytes(uuid: string): number | null;
  /** Returns true for a document that was not closed cleanly and is not open. */
  hasUncleanShutdown(uuid: string): boolean;
  /** Closes a document and deletes its folder. Idempotent. */
  remove(uuid: string): Promise<void>;
  /** Merges the measurements of the worker threads into those of this thread, and returns the current load. */
  measure(): Promise<RuntimeLoad>;
  /** Completes pending calls and closes all documents. */
  close(): Promise<void>;
}

import type { AccountActor, DocumentGrant, WorkspaceGrant } from "../../authorization.ts";
import { forbidden, invalid } from "../../errors.ts";
import { titleOf } from "../../exchange/file-formats.ts";
import type { FileConventions } from "../../exchange/detect/infer-conventions.ts";
import type { DryRunReport, ImportReport, TableReport } from "../../hosts/documents.ts";
import { newUuid } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { createDocumentWithFile } from "../documents/documents.ts";
import { guardAccount, guardWorkspace } from "../access/guards.ts";
import { withAbortReason } from "./import-job.ts";
import { type ImportFile, type ImportSource, isDocumentFile, openImportFile, readTypedTables } from "./import-files.ts";

export interface ImportFileOptions {
  /** Name of the document. Default: the file name without its extension. */
  readonly documentName?: string | undefined;
}

/** How a file with tables was parsed and imported. */
export interface FileReport {
  /** The locale and currency of the document. */
  readonly locale: string;
  readonly currency: string;
  /** Decimal separator of all numbers. */
  readonly decimal: string;
  /** Order of day and month; null if the file contains both. */
  readonly dates: string | null;
  readonly tables: readonly TableReport[];
}

export interface ImportedFile extends Partial<FileReport> {
  /** The document's UUID. */
  readonly id: string;
  readonly title: string;
}

/** The report of a dry run, with the id for importing the file. */
export interface ImportPreview extends Partial<FileReport> {
  readonly title: string;
  readonly uploadId: number;
}

/**
 * Imports a file as a new document: a document file, or one with tables. Does not change the file. The caller becomes
 * the owner.
 * @throws AppError `invalid` if the file cannot be read, or the workspace is in the trash; `tooLarge`; the reason of the job
 * if it is cancelled: no document is created then
 */
export async function importFile(
  ctx: Context,
  grant: WorkspaceGrant,
  given: ImportFile,
  { documentName }: ImportFileOptions,
): Promise<ImportedFile & { counts: { tables: number; rows: number } }> {
  const title = titleOf(given.file.name);
  const { job } = given;
  const uuid = newUuid();
  let counts = { tables: 0, rows: 0 };
  let report: FileReport | undefined;
  const makeFile = async () => {
    if (await isDocumentFile(given)) counts = await ctx.documents.importFile(uuid, given.file, job);
    else {
      const file = await readTypedTables(ctx, grant.actor, given);
      const created = await ctx.documents.createFromTables(uuid, file, job);
      counts = { tables: created.tables, rows: created.rows };
      report = fileReport(file.conventions, created.report);
    }
    job?.signal.throwIfAborted();
    return { title, ...report } satisfies Omit<ImportedFile, "id">;
  };
  await withAbortReason(job?.signal, () =>
    createDocumentWithFile(ctx, grant, { name: documentName || title, uuid, makeFile }),
  );
  return { id: uuid, title, ...report, counts };
}

const fileReport = (
  { locale, currency, decimal, order }: FileConventions,
  tables: readonly TableReport[],
): FileReport => ({ locale, currency, decimal, dates: order, tables });

/**
 * Imports the file in a form's field `upload`, or an earlier upload, as a new document. The form's field `documentName`
 * sets its name.
 * @throws AppError as `openImportFile` and `importFile`
 */
export async function importDocument(
  ctx: Context,
  grant: WorkspaceGrant,
  source: ImportSource & { readonly documentName?: string | undefined },
): Promise<ImportedFile> {
  await using file = await openImportFile(ctx, grant.actor, source);
  const { counts: _, ...imported } = await importFile(ctx, grant, file, {
    documentName: source.documentName ?? file.fields["documentName"],
  });
  return imported;
}

/**
 * Returns the report of an `importDocument`, and keeps the file and its rows for it.
 * @throws AppError as `openImportFile`, `invalid` if the file cannot be read
 */
export async function previewDocument(
  ctx: Context,
  grant: WorkspaceGrant,
  source: ImportSource,
): Promise<ImportPreview> {
  await using file = await openImportFile(ctx, grant.actor, source);
  const title = titleOf(file.file.name);
  if (await isDocumentFile(file)) return { title, uploadId: await file.retain() };
  const typed = await readTypedTables(ctx, grant.actor, file);
  const report = fileReport(typed.conventions, await ctx.documents.previewTables(typed, file.job));
  return { title, uploadId: await file.retain(), ...report };
}

/**
 * Like `importDocument` for a form, into the workspace that its field `workspaceId` names.
 * @throws AppError `forbidden`, `notFound` also for the workspace
 */
export async function importToNamedWorkspace(
  ctx: Context,
  actor: AccountActor,
  source: Extract<ImportSource, { incoming: unknown }>,
): Promise<ImportedFile> {
  // The form must be received before the target workspace is known: authentication is required for that.
  if (actor.kind !== "user") throw forbidden("Uploads require an API key or a session", "access.denied");
  await using file = await openImportFile(ctx, actor, source);
  const { workspaceId, documentName } = file.fields;
  if (!workspaceId) throw invalid("The form field workspaceId is required");
  const grant = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  return await importFile(ctx, grant, file, { documentName });
}

export interface TableImport {
  /** Id of an existing table to add the rows to; without it, tables are created. */
  readonly table?: string | undefined;
  /** Imports only this table of the file. */
  readonly sheet?: string | undefined;
  readonly addColumns: boolean;
  /** Only returns a report. */
  readonly dryRun: boolean;
  /** Has the report of a dry run include what the import would change. */
  readonly listsChanges?: boolean;
  /** Has the report include counts of rows, and the state or the size of the change. */
  readonly change?: boolean;
}

export interface TableImportReport extends ImportReport {
  /** With `dryRun`: the id for importing the same file. */
  readonly uploadId?: number;
  readonly changes?: DryRunReport;
}

/**
 * Imports the tables of a file into a document: all rows or none.
 * @throws AppError as `importDocument`; `invalid` also for columns that do not fit, `notFound` also for the table
 */
export async function importTables(
  ctx: Context,
  grant: DocumentGrant,
  source: ImportSource,
  { table: into, sheet, addColumns, dryRun, listsChanges = false, change: reportsChange = false }: TableImport,
): Promise<TableImportReport> {
  const actor = guardAccount(grant.actor);
  await using upload = await openImportFile(ctx, actor, source);
  const given = sheet === undefined ? upload : { ...upload, choices: { ...upload.choices, sheet } };
  const merging = mergeChoices(given.choices, into);
  const typedTables = await readTypedTables(ctx, actor, given);
  const hasZone = given.choices.zone !== undefined;
  const { job } = upload;
  const args = { file: typedTables, hasZone, into, addColumns, ...merging, reportsChange, job: job?.shared.memory };
  return await withAbortReason(job?.signal, async () => {
    const report = await ctx.documents.call(grant, "tables.import", { ...args, dryRun });
    const changes = dryRun && listsChanges ? { changes: await ctx.documents.previewImport(grant, args, job) } : {};
    return { ...report, ...changes, ...(dryRun && { uploadId: await upload.retain() }) };
  });
}

/** @throws AppError `invalid` for options that do not go together */
function mergeChoices({ columns, key, onMatch, onNew }: ImportFile["choices"], into: string | undefined) {
  if (into === undefined && (columns ?? key ?? onMatch ?? onNew) !== undefined)
    throw invalid("columns, key, onMatch and onNew require table");
  if (key === undefined) {
    if ((onMatch ?? onNew) !== undefined) throw invalid("onMatch and onNew require key");
    return { columns };
  }
  return { columns, merge: { key, onMatch: onMatch ?? "update", onNew: onNew ?? "add" } };
}

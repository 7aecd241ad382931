import type { Actor, DocumentGrant, WorkspaceGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid } from "../../errors.ts";
import { titleOf } from "../../exchange/file-formats.ts";
import type { FileConventions } from "../../exchange/detect/infer-conventions.ts";
import type { ImportReport, TableReport } from "../../hosts/documents.ts";
import { newUuid } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { createDocumentWithFile } from "../documents/documents.ts";
import { guardWorkspace } from "../access/guards.ts";
import { type ImportFile, type ImportSource, isDocumentFile, openImportFile, readTypedTables } from "./import-files.ts";

export interface ImportFileOptions {
  /** What the file is called, without its ending, when missing. */
  readonly documentName?: string | undefined;
  /** Aborted when nobody waits for it any more: no document is made then. */
  readonly signal?: AbortSignal | undefined;
}

/** How a file of tables was read, and what became of it. */
export interface FileReport {
  /** The locale and currency of the document. */
  readonly locale: string;
  readonly currency: string;
  /** The decimal sign of all numbers. */
  readonly decimal: string;
  /** Which of day and month comes first; null where the file has both. */
  readonly dates: string | null;
  readonly tables: readonly TableReport[];
}

export interface ImportedFile extends Partial<FileReport> {
  /** The document's UUID. */
  readonly id: string;
  readonly title: string;
}

/** What an import would do, with the number by which it can be asked for. */
export interface ImportPreview extends Partial<FileReport> {
  readonly title: string;
  readonly uploadId: number;
}

/**
 * Makes a document of a file: a document file, or one with tables. The file is not changed. The caller owns it.
 * @throws AppError `invalid` when the file cannot be read, or the workspace is in the trash; `tooLarge`; `unavailable`
 *   when whoever asked has given up
 */
export async function importFile(
  ctx: Context,
  grant: WorkspaceGrant,
  given: ImportFile,
  { documentName, signal }: ImportFileOptions,
): Promise<ImportedFile & { counts: { tables: number; rows: number } }> {
  const title = titleOf(given.file.name);
  const uuid = newUuid();
  let counts = { tables: 0, rows: 0 };
  let report: FileReport | undefined;
  const makeFile = async () => {
    if (await isDocumentFile(given)) counts = await ctx.documents.importFile(uuid, given.file);
    else {
      const file = await readTypedTables(ctx, grant.actor, given);
      const created = await ctx.documents.createFromTables(uuid, file);
      counts = { tables: created.tables, rows: created.rows };
      report = fileReport(file.conventions, created.report);
    }
    if (signal?.aborted) throw new AppError("unavailable", "The import was given up");
  };
  await createDocumentWithFile(ctx, grant, { name: documentName || title, uuid, makeFile });
  return { id: uuid, title, ...report, counts };
}

const fileReport = (
  { locale, currency, decimal, order }: FileConventions,
  tables: readonly TableReport[],
): FileReport => ({ locale, currency, decimal, dates: order, tables });

/**
 * Makes a document of the file in a form's field `upload`, or of one that was uploaded before; the form's field
 * `documentName` may name it.
 * @throws AppError as `takeFile` and `importFile`
 */
export async function importDocument(
  ctx: Context,
  grant: WorkspaceGrant,
  source: ImportSource & { readonly documentName?: string | undefined },
): Promise<ImportedFile> {
  await using file = await openImportFile(ctx, grant.actor, source);
  const { counts: _, ...imported } = await importFile(ctx, grant, file, {
    documentName: source.documentName ?? file.fields["documentName"],
    signal: "incoming" in source ? source.incoming.signal : undefined,
  });
  return imported;
}

/**
 * Tells what `importDocument` would make, and keeps the file and its rows for it.
 * @throws AppError as `takeFile`, `invalid` when the file cannot be read
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
  const report = fileReport(typed.conventions, await ctx.documents.previewTables(typed));
  return { title, uploadId: await file.retain(), ...report };
}

/**
 * As `importDocument` for a form, into the workspace that its field `workspaceId` names.
 * @throws AppError `forbidden`, `notFound` also for the workspace
 */
export async function importToNamedWorkspace(
  ctx: Context,
  actor: Actor,
  source: Extract<ImportSource, { incoming: unknown }>,
): Promise<ImportedFile> {
  // The form has to be taken in before it is known where it goes: not from just anybody.
  if (actor.kind !== "user") throw forbidden("Uploading takes an API key", "access.denied");
  await using file = await openImportFile(ctx, actor, source);
  const { workspaceId, documentName } = file.fields;
  if (!workspaceId) throw invalid("The field workspaceId is missing");
  const grant = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  return await importFile(ctx, grant, file, { documentName, signal: source.incoming.signal });
}

export interface TableImport {
  /** Id of an existing table that the rows are added to; without it new tables are made. */
  readonly table?: string | undefined;
  /** The one table of the file to take. */
  readonly sheet?: string | undefined;
  readonly addColumns: boolean;
  /** Only tells what would be done. */
  readonly dryRun: boolean;
}

export interface TableImportReport extends ImportReport {
  readonly decimal: string;
  readonly dates: string | null;
  /** The number by which the same file can be imported; for a dry run alone. */
  readonly uploadId?: number;
}

/**
 * Takes the tables of a file into a document: all of it, or nothing.
 * @throws AppError as `importDocument`; `invalid` also for columns that do not fit, `notFound` also for the table
 */
export async function importTables(
  ctx: Context,
  grant: DocumentGrant,
  source: ImportSource,
  { table: targetTable, sheet, addColumns, dryRun }: TableImport,
): Promise<TableImportReport> {
  await using upload = await openImportFile(ctx, grant.actor, source);
  const given = sheet === undefined ? upload : { ...upload, choices: { ...upload.choices, sheet } };
  const typedTables = await readTypedTables(ctx, grant.actor, given);
  const hasZone = given.choices.zone !== undefined;
  const report = await ctx.documents.call(grant, "tables.import", {
    file: typedTables,
    hasZone,
    into: targetTable,
    addColumns,
    dryRun,
  });
  const { decimal, order } = typedTables.conventions;
  return { ...report, decimal, dates: order, ...(dryRun && { uploadId: await upload.retain() }) };
}

import { rm } from "node:fs/promises";
import type { Actor, DocumentGrant, WorkspaceGrant } from "../access.ts";
import { AppError, forbidden, invalid, notFound } from "../errors.ts";
import { titleOf } from "../exchange/readers.ts";
import { receiveUpload, type Upload, type UploadedFile } from "../files/uploads.ts";
import type { FileToImport, ImportReport } from "../hosts/documents.ts";
import { newUuid } from "../lib/ids.ts";
import type { ImportedDocument } from "../wire/documents.ts";
import type { Context } from "./context.ts";
import { placeDocument } from "./documents.ts";
import { guardWorkspace } from "./guards.ts";
import { type Incoming, uploadedFiles } from "./uploads.ts";

/** What a request wants to import: a form with a file, or the number of files that were uploaded before. */
export type ImportSource = { readonly incoming: Incoming } | { readonly uploadId: number };

export interface NewDocumentOfFile {
  readonly file: FileToImport;
  /** What the file is called, without its ending, when missing. */
  readonly documentName?: string | undefined;
  /** Aborted when nobody waits for it any more: no document is made then. */
  readonly signal?: AbortSignal;
}

/**
 * Makes a document of a file: a document file, or one with tables. The file is not changed. The caller owns it.
 * @throws AppError `invalid` when the file cannot be read, or the workspace is in the trash; `tooLarge`; `unavailable`
 *   when whoever asked has given up
 */
export async function importFile(
  ctx: Context,
  grant: WorkspaceGrant,
  { file, documentName, signal }: NewDocumentOfFile,
): Promise<ImportedDocument> {
  const title = titleOf(file.name);
  const uuid = newUuid();
  const makeFile = async () => {
    await ctx.documents.importFile(uuid, file);
    if (signal?.aborted) throw new AppError("unavailable", "The import was given up");
  };
  await placeDocument(ctx, grant, { name: documentName || title, uuid, makeFile });
  return { id: uuid, title };
}

/**
 * Makes a document of the file in a form's field `upload`, or of one that was uploaded before; the form's field
 * `documentName` may name it.
 * @throws AppError as `receiveUpload` and `importFile`; `invalid` when there is no file, `notFound` for an upload
 */
export async function importDocument(
  ctx: Context,
  grant: WorkspaceGrant,
  source: ImportSource & { readonly documentName?: string | undefined },
): Promise<ImportedDocument> {
  if ("uploadId" in source) {
    await using file = ctx.uploads.use(grant.actor, source.uploadId);
    return await importFile(ctx, grant, { file: toImport(file), documentName: source.documentName });
  }
  const { incoming } = source;
  await using upload = await receiveUpload(incoming.source, incoming.limits);
  await using form = ofForm(ctx, grant.actor, upload);
  return await importFile(ctx, grant, { ...form, signal: incoming.signal });
}

/**
 * As `importDocument` for a form, into the workspace that its field `workspaceId` names.
 * @throws AppError `forbidden`, `notFound` also for the workspace
 */
export async function importAnywhere(
  ctx: Context,
  actor: Actor,
  { source, limits, signal }: Incoming,
): Promise<ImportedDocument> {
  // The form has to be taken in before it is known where it goes: not from just anybody.
  if (actor.kind !== "user") throw forbidden("Uploading takes an API key", "access.denied");
  await using upload = await receiveUpload(source, limits);
  const { workspaceId } = upload.fields;
  if (!workspaceId) throw invalid("The field workspaceId is missing");
  const grant = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  await using form = ofForm(ctx, actor, upload);
  return await importFile(ctx, grant, { ...form, signal });
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

/**
 * Takes the tables of a file into a document: all of it, or nothing.
 * @throws AppError as `importDocument`; `invalid` also for columns that do not fit, `notFound` also for the table
 */
export async function importTables(
  ctx: Context,
  grant: DocumentGrant,
  source: ImportSource,
  options: TableImport,
): Promise<ImportReport> {
  if ("uploadId" in source) {
    await using file = ctx.uploads.use(grant.actor, source.uploadId);
    return await addTables(ctx, grant, toImport(file), options);
  }
  const { incoming } = source;
  await using upload = await receiveUpload(incoming.source, incoming.limits);
  await using form = ofForm(ctx, grant.actor, upload);
  return await addTables(ctx, grant, form.file, options);
}

async function addTables(
  ctx: Context,
  grant: DocumentGrant,
  file: FileToImport,
  { table: into, sheet, addColumns, dryRun }: TableImport,
): Promise<ImportReport> {
  const staged = await ctx.documents.stageFile(file);
  try {
    const tables = sheet === undefined ? staged : staged.filter(({ name }) => name === sheet);
    if (tables.length === 0) throw notFound(`The file has no table ${JSON.stringify(sheet)}`, "table.not_found");
    return await ctx.documents.call(grant, "tables.import", { tables, into, addColumns, dryRun });
  } finally {
    for (const { path } of staged) await rm(path, { force: true });
  }
}

/** The form's own file, or the one that was uploaded before and that its field `uploadId` names. */
function ofForm(ctx: Context, actor: Actor, upload: Upload): NewDocumentOfFile & AsyncDisposable {
  const { documentName, uploadId } = upload.fields;
  if (uploadId !== undefined && upload.files.length === 0) {
    const used = ctx.uploads.use(actor, Number(uploadId));
    return { file: toImport(used), documentName, [Symbol.asyncDispose]: () => used[Symbol.asyncDispose]() };
  }
  const [file] = uploadedFiles(upload);
  if (!file) throw invalid("The form has no file in its field upload");
  // The form's own files go with the form.
  return { file: toImport(file), documentName, [Symbol.asyncDispose]: () => Promise.resolve() };
}

/** What of an uploaded file the threads need that read it. */
const toImport = ({ path, name }: UploadedFile): FileToImport => ({ path, name });

import type { Actor, WorkspaceGrant } from "../access.ts";
import { forbidden, invalid, notFound } from "../errors.ts";
import { receiveUpload, type Upload, type UploadLimits, type UploadSource } from "../files/uploads.ts";
import { newUuid } from "../lib/ids.ts";
import type { ImportedDocument } from "../wire/documents.ts";
import type { Context } from "./context.ts";
import { placeDocument } from "./documents.ts";
import { guardWorkspace } from "./guards.ts";

export interface FileToImport {
  readonly path: string;
  /** As its owner called it. */
  readonly name: string;
  /** The document's; what the file is called, without its ending, when missing. */
  readonly documentName?: string | undefined;
}

/**
 * Makes a document of a document file, which is not changed. The caller owns it.
 * @throws AppError `invalid` when the file is none that can be read, or the workspace is in the trash
 */
export async function importFile(
  ctx: Context,
  grant: WorkspaceGrant,
  { path, name, documentName }: FileToImport,
): Promise<ImportedDocument> {
  const title = name.replace(/(?!^)\.[^.]*$/, "");
  const uuid = newUuid();
  const makeFile = () => ctx.documents.importFile(uuid, path);
  await placeDocument(ctx, grant, { name: documentName || title, uuid, makeFile });
  return { id: uuid, title };
}

export interface Incoming {
  readonly source: UploadSource;
  readonly limits: UploadLimits;
}

/**
 * Makes a document of the file in a form's field `upload`; its field `documentName` may name it.
 * @throws AppError as `receiveUpload` and `importFile`; `invalid` when there is no file
 */
export async function importUpload(
  ctx: Context,
  grant: WorkspaceGrant,
  { source, limits }: Incoming,
): Promise<ImportedDocument> {
  await using upload = await receiveUpload(source, limits);
  return await importFile(ctx, grant, fileOf(upload));
}

/**
 * As `importUpload`, into the workspace that the form's field `workspaceId` names.
 * @throws AppError `forbidden`, `notFound` also for the workspace
 */
export async function importUploadAnywhere(
  ctx: Context,
  actor: Actor,
  { source, limits }: Incoming,
): Promise<ImportedDocument> {
  // The form has to be taken in before it is known where it goes: not from just anybody.
  if (actor.kind !== "user") throw forbidden("Uploading takes an API key");
  await using upload = await receiveUpload(source, limits);
  const { workspaceId } = upload.fields;
  if (!workspaceId) throw invalid("The field workspaceId is missing");
  const grant = guardWorkspace(ctx, actor, workspaceId, "editors", { removed: "any" });
  return await importFile(ctx, grant, fileOf(upload));
}

function fileOf({ files, fields }: Upload): FileToImport {
  const file = files.find(({ field }) => field === "upload");
  if (!file && fields["uploadId"] !== undefined) throw notFound("There is no such upload");
  if (!file) throw invalid("The form has no file in its field upload");
  return { path: file.path, name: file.name, documentName: fields["documentName"] };
}

import { open, readFile } from "node:fs/promises";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { DIMENSION_HEADER_BYTES, readImageDimensions } from "../../files/image-dimensions.ts";
import { servedName, extensionOf, extensionOfName, identOf, mediaType } from "../../files/file-names.ts";
import { SIGNATURE_BYTES } from "../../files/file-signatures.ts";
import type { LocalFile } from "../../files/attachment-store.ts";
import { receiveUpload, type UploadedFile } from "../../files/uploads.ts";
import type {
  FoundAttachment,
  EmbeddedContent,
  NewAttachment,
  ReuploadedContent,
  AttachmentRef,
} from "../../hosts/verbs/attachments.ts";
import { currentStores, storeAt } from "./attachment-stores.ts";
import { openContent, type OpenedContent } from "./open-content.ts";
import type { Context } from "../context.ts";
import type { IncomingUpload } from "../imports/uploads.ts";

/** A received file that is about to be stored as an attachment. */
interface ReceivedFile extends LocalFile {
  readonly row: NewAttachment;
}

/** Maximum length of a file name, in characters. */
const MAX_NAME_LENGTH = 1000;

/**
 * Stores the files in a form's field `upload` as attachments of a document: all or none.
 * @returns their ids, in the order of the files
 * @throws AppError as `receiveUpload`; `invalid` if the file is missing or a file name is invalid
 */
export async function uploadAttachments(
  ctx: Context,
  grant: DocumentGrant,
  { source, limits }: IncomingUpload,
): Promise<readonly number[]> {
  await using upload = await receiveUpload(source, { ...limits, keepPaths: true });
  const uploaded = upload.files.filter(({ field }) => field === "upload");
  if (uploaded.length === 0) throw new AppError("upload.invalid", "The form field upload must contain a file");
  const files: ReceivedFile[] = [];
  for (const file of uploaded) files.push(await describeFile(file));
  return await ctx.files.locks.runShared(grant.uuid, () => storeFiles(ctx, grant, files));
}

async function describeFile({ name, type, path, sizeBytes, sha1 }: UploadedFile): Promise<ReceivedFile> {
  if (/\p{Cc}/u.test(name)) throw invalid("File names must not contain control characters");
  if (name.length > MAX_NAME_LENGTH) throw invalid(`File names must have at most ${MAX_NAME_LENGTH} characters`);
  const head = await firstBytes(path, SIGNATURE_BYTES);
  const fileExt = extensionOf({ name, type, head });
  const isImage = mediaType(fileExt).startsWith("image/");
  const size = isImage ? readImageDimensions(await firstBytes(path, DIMENSION_HEADER_BYTES)) : null;
  const { width, height } = size ?? { width: 0, height: 0 };
  return { path, sizeBytes, row: { fileName: name, fileExt, ident: identOf(sha1, fileExt), sizeBytes, width, height } };
}

async function firstBytes(path: string, count: number): Promise<Uint8Array> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(count), 0, count, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Stores files durably before the rows that refer to them, so that a crash leaves only unreferenced files. */
async function storeFiles(
  ctx: Context,
  grant: DocumentGrant,
  files: readonly ReceivedFile[],
): Promise<readonly number[]> {
  const { contents, stored } = await storeContents(ctx, grant, files);
  const rows = files.map(({ row }) => row);
  const added = await ctx.documents.call(grant, "attachments.add", { files: rows, contents, stored });
  if (added.kind === "added") return added.ids;
  throw new AppError("unavailable", "Attachments are being removed; try again", { retryAfterS: 1 });
}

interface PreparedContents {
  /** Files to store in the document file in the same transaction as the rows. */
  readonly contents: EmbeddedContent[];
  readonly stored: ReuploadedContent[];
}

/**
 * Stores the files that the document does not have. Returns the last small ones, to be stored together with the rows.
 */
async function storeContents(
  ctx: Context,
  grant: DocumentGrant,
  files: readonly ReceivedFile[],
): Promise<PreparedContents> {
  const stores = await currentStores(ctx, grant);
  const distinct = new Map(files.map(({ row, path, sizeBytes }) => [row.ident, { path, sizeBytes }]));
  const locations = await ctx.documents.call(grant, "attachments.locations", { idents: [...distinct.keys()] });
  let contents: EmbeddedContent[] = [];
  let bytes = 0;
  const stored: ReuploadedContent[] = [];
  for (const [at, [ident, file]] of [...distinct].entries()) {
    const location = locations[at] ?? null;
    const holder = storeAt(stores, location);
    if (holder && (holder.id === null || (await holder.size(ident)) !== null)) continue;
    const target = stores.target(file.sizeBytes);
    if (target.id !== null) {
      await target.put(ident, file);
      stored.push({ ident, storageId: target.id, missingFrom: location?.kind === "store" ? location.storageId : null });
      continue;
    }
    if (contents.length > 0 && bytes + file.sizeBytes > ctx.files.inlineMaxBytes) {
      await ctx.documents.call(grant, "attachments.put", { contents });
      [contents, bytes] = [[], 0];
    }
    contents.push({ ident, bytes: await readFile(file.path) });
    bytes += file.sizeBytes;
  }
  return { contents, stored };
}

/** An opened attachment. */
export interface OpenedAttachment extends OpenedContent {
  /** The file name. */
  readonly name: string;
  /** The media type, with its character set. */
  readonly type: string;
  /** Changes with the file. */
  readonly version: string;
}

/**
 * Opens an attachment.
 * @throws AppError `notFound` if it does not exist, or its file is not on this server
 */
export async function openAttachment(
  ctx: Context,
  grant: DocumentGrant,
  which: AttachmentRef,
): Promise<OpenedAttachment> {
  const found = await ctx.documents.call(grant, "attachments.find", which);
  const extension = servedExtension(found);
  const content = await openContent(ctx, grant, found);
  if (!content) throw notFound("The file of the attachment is not on this server", "attachment.not_found");
  return {
    name: servedName(found.fileName, extension),
    type: mediaType(extension),
    version: found.ident,
    ...content,
  };
}

/** Old documents store the extension only in the file name. */
export const servedExtension = ({ fileExt, fileName }: FoundAttachment): string => fileExt || extensionOfName(fileName);

import { open, readFile } from "node:fs/promises";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { DIMENSION_HEADER_BYTES, readImageDimensions } from "../../files/image-dimensions.ts";
import { servedName, extensionOf, extensionOfName, identOf, mediaType } from "../../files/file-names.ts";
import { SIGNATURE_BYTES } from "../../files/file-signatures.ts";
import type { AttachmentStore, ByteRange, FileContent, LocalFile } from "../../files/attachment-store.ts";
import { receiveUpload, type UploadedFile } from "../../files/uploads.ts";
import type {
  FoundAttachment,
  EmbeddedContent,
  NewAttachment,
  ReuploadedContent,
  AttachmentRef,
} from "../../hosts/verbs/attachments.ts";
import { currentStores, storeAt, storesOf } from "./attachment-stores.ts";
import type { Context } from "../context.ts";
import type { IncomingUpload } from "../imports/uploads.ts";

/** A file of an upload on its way to become an attachment. */
interface ReceivedFile extends LocalFile {
  readonly row: NewAttachment;
}

/** How long the name of a file may be, in characters. */
const MAX_NAME_LENGTH = 1000;

/**
 * Takes the files in a form's field `upload` as attachments of a document: all or none.
 * @returns their ids, in the order they came
 * @throws AppError as `receiveUpload`; `invalid` when there is no file or one has an impossible name
 */
export async function uploadAttachments(
  ctx: Context,
  grant: DocumentGrant,
  { source, limits }: IncomingUpload,
): Promise<readonly number[]> {
  await using upload = await receiveUpload(source, { ...limits, keepPaths: true });
  const uploaded = upload.files.filter(({ field }) => field === "upload");
  if (uploaded.length === 0) throw new AppError("upload.invalid", "The form has no file in its field upload");
  const files: ReceivedFile[] = [];
  for (const file of uploaded) files.push(await describeFile(file));
  return await ctx.files.locks.runShared(grant.uuid, () => storeFiles(ctx, grant, files));
}

async function describeFile({ name, type, path, sizeBytes, sha1 }: UploadedFile): Promise<ReceivedFile> {
  if (/\p{Cc}/u.test(name)) throw invalid("The name of a file has control characters in it");
  if (name.length > MAX_NAME_LENGTH) throw invalid(`The name of a file has more than ${MAX_NAME_LENGTH} characters`);
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

/** Contents first, durably, then the rows that refer to them: a crash leaves contents at most. */
async function storeFiles(
  ctx: Context,
  grant: DocumentGrant,
  files: readonly ReceivedFile[],
): Promise<readonly number[]> {
  const { contents, stored } = await storeContents(ctx, grant, files);
  const rows = files.map(({ row }) => row);
  const added = await ctx.documents.call(grant, "attachments.add", { files: rows, contents, stored });
  if (added.kind === "added") return added.ids;
  throw new AppError("unavailable", "Attachments are being removed at the same time", { retryAfterS: 1 });
}

interface PreparedContents {
  /** What is to go into the document's file together with the rows. */
  readonly contents: EmbeddedContent[];
  readonly stored: ReuploadedContent[];
}

/** Stores the contents that the document does not have; the last small ones are handed back to go with the rows. */
async function storeContents(
  ctx: Context,
  grant: DocumentGrant,
  files: readonly ReceivedFile[],
): Promise<PreparedContents> {
  const stores = await currentStores(ctx, grant);
  const distinct = new Map(files.map(({ row, path, sizeBytes }) => [row.ident, { path, sizeBytes }]));
  const locations = await ctx.documents.call(grant, "attachments.places", { idents: [...distinct.keys()] });
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

/** An attachment that is being handed out. */
export interface OpenedAttachment {
  /** As its receiver may call it. */
  readonly name: string;
  /** The media type, with its character set. */
  readonly type: string;
  readonly sizeBytes: number;
  /** Changes with the content. */
  readonly version: string;
  /** The bytes, or a part of them. */
  read(range?: ByteRange): Promise<FileContent>;
}

/**
 * Finds an attachment and its content.
 * @throws AppError `notFound` when there is none, or its content is not on this server
 */
export async function openAttachment(
  ctx: Context,
  grant: DocumentGrant,
  which: AttachmentRef,
): Promise<OpenedAttachment> {
  const found = await ctx.documents.call(grant, "attachments.find", which);
  const extension = servedExtension(found);
  const content = await openContent(ctx, grant, found);
  if (!content) throw notFound("The attachment's content is not on this server", "attachment.not_found");
  return {
    name: servedName(found.fileName, extension),
    type: mediaType(extension),
    version: found.ident,
    ...content,
  };
}

/** Old documents say only by the name what a file is. */
export const servedExtension = ({ fileExt, fileName }: FoundAttachment): string => fileExt || extensionOfName(fileName);

/** An attachment's content, wherever it is by now; null when it is nowhere. */
export async function openContent(
  ctx: Context,
  grant: DocumentGrant,
  { ident, location }: Pick<FoundAttachment, "ident" | "location">,
): Promise<Pick<OpenedAttachment, "sizeBytes" | "read"> | null> {
  // What the document chose for new contents does not matter here.
  const stores = storesOf(ctx, grant, null);
  // Contents may be moved at any moment: they come into the new store before they go from the old one.
  const reopen = async () => {
    const [current = null] = await ctx.documents.call(grant, "attachments.places", { idents: [ident] });
    return openAt(ident, storeAt(stores, current));
  };
  const opened = (await openAt(ident, storeAt(stores, location))) ?? (await reopen());
  if (!opened) return null;
  return {
    sizeBytes: opened.sizeBytes,
    async read(range) {
      const content = (await opened.read(range)) ?? (await (await reopen())?.read(range));
      if (content) return content;
      throw notFound("The attachment was removed meanwhile", "attachment.not_found");
    },
  };
}

async function openAt(ident: string, store: AttachmentStore | null) {
  const sizeBytes = (await store?.size(ident)) ?? null;
  return store && sizeBytes !== null ? { sizeBytes, read: (range?: ByteRange) => store.read(ident, range) } : null;
}

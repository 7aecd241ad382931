import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import { readArchive } from "../../files/archive-reader.ts";
import { type ArchiveFormat, checkZipSize, writeArchive } from "../../files/archive-writer.ts";
import { servedName } from "../../files/file-names.ts";
import { receiveUpload, type UploadedFile } from "../../files/uploads.ts";
import type { WrittenFile } from "../../files/write-file.ts";
import type { FoundAttachment } from "../../hosts/verbs/attachments.ts";
import type { RestoredAttachments } from "../../wire/attachments/attachments.ts";
import { currentStores } from "./attachment-stores.ts";
import { servedExtension } from "./attachments.ts";
import { openContent } from "./open-content.ts";
import type { Context } from "../context.ts";
import type { IncomingUpload } from "../imports/uploads.ts";

/**
 * Returns all attachments of a document as one archive, each distinct file once, as a stream. Omits files that are not
 * on this server.
 * @throws AppError `tooLarge` if they exceed the limits of the format
 */
export async function archiveAttachments(
  ctx: Context,
  grant: DocumentGrant,
  format: ArchiveFormat,
): Promise<ReadableStream<Uint8Array>> {
  const contents = (await ctx.documents.call(grant, "attachments.contents", {})).map((found) => ({
    found,
    name: archiveName(found),
    sizeBytes: found.sizeBytes,
  }));
  if (format === "zip") checkZipSize(contents);
  return writeArchive(format, entriesOf(ctx, grant, contents));
}

function* entriesOf(
  ctx: Context,
  grant: DocumentGrant,
  contents: readonly { readonly found: FoundAttachment; readonly name: string }[],
) {
  for (const { found, name } of contents) {
    const open = async () => {
      // Resolved here: archiving can take long, and files can be transferred in between.
      const opened = await openContent(
        ctx,
        grant,
        await ctx.documents.call(grant, "attachments.find", { id: found.id }),
      );
      return opened && { content: await opened.read(), sizeBytes: opened.sizeBytes };
    };
    yield { name, modifiedAtMs: found.timeUploadedMs, open };
  }
}

/**
 * Returns the name of an attachment in an archive: its hash, which identifies it, and its file name. Documents from
 * other servers can have arbitrary values for both, including paths that escape from the target folder.
 */
function archiveName(found: FoundAttachment): string {
  const name = servedName(found.fileName, servedExtension(found));
  return `${found.ident.slice(0, SHA1_HEX_LENGTH)}_${name}`.replaceAll(/[/\\\p{Cc}]/gu, "_").toWellFormed();
}

const SHA1_HEX_LENGTH = 40;

/**
 * Restores missing files from an archive made by `archiveAttachments`: the first archive in any field of a form.
 * @throws AppError as `receiveUpload`; `invalid` if there is no archive
 */
export async function restoreAttachments(
  ctx: Context,
  grant: DocumentGrant,
  { source, limits }: IncomingUpload,
): Promise<RestoredAttachments> {
  const { maxFileBytes = limits.maxBytes, ...rest } = limits;
  await using upload = await receiveUpload(source, rest);
  const [archive] = upload.files.flatMap((file) => {
    const format = formatOf(file);
    return format ? [{ path: file.path, format }] : [];
  });
  if (!archive) {
    throw new AppError("upload.invalid", "The form must contain an archive: .tar, of type application/x-tar, or .zip");
  }
  return await ctx.files.locks.runShared(grant.uuid, () =>
    restoreContents(ctx, grant, { ...archive, folder: limits.folder, maxFileBytes }),
  );
}

function formatOf({ name, type }: UploadedFile): ArchiveFormat | null {
  if (/^application\/(x-tar|tar)$/i.test(type)) return "tar";
  if (/^application\/(zip|x-zip-compressed)$/i.test(type)) return "zip";
  const [, ending] = /\.(tar|zip)$/i.exec(name) ?? [];
  return (ending?.toLowerCase() as ArchiveFormat | undefined) ?? null;
}

interface Archive {
  readonly path: string;
  readonly format: ArchiveFormat;
  readonly folder: string;
  readonly maxFileBytes: number;
}

async function restoreContents(ctx: Context, grant: DocumentGrant, archive: Archive): Promise<RestoredAttachments> {
  const missing = await missingContents(ctx, grant);
  const result = { added: 0, errored: 0, unused: 0 };
  await readArchive(archive.path, {
    ...archive,
    accepts: (name) => missing.has(parseSha1(name)),
    onSkipped: () => void result.unused++,
    async onFile(name, file) {
      const missingIdents = file && file.sha1 === parseSha1(name) ? (missing.get(file.sha1) ?? []) : [];
      if (!file || missingIdents.length === 0) {
        result.errored++;
        return;
      }
      for (const ident of missingIdents) await putContent(ctx, grant, { ident, file });
      missing.delete(file.sha1);
      result.added++;
    },
  });
  return result;
}

/** Returns the hash in the name of an archived file. */
const parseSha1 = (name: string): string => name.slice(name.lastIndexOf("/") + 1).slice(0, SHA1_HEX_LENGTH);

/** Returns the missing files that attachments refer to, by SHA-1: extensions may differ. */
async function missingContents(ctx: Context, grant: DocumentGrant): Promise<Map<string, string[]>> {
  const missing = new Map<string, string[]>();
  for (const found of await ctx.documents.call(grant, "attachments.contents", {})) {
    if (await openContent(ctx, grant, found)) continue;
    const sha1 = found.ident.slice(0, SHA1_HEX_LENGTH);
    missing.set(sha1, [...(missing.get(sha1) ?? []), found.ident]);
  }
  return missing;
}

async function putContent(
  ctx: Context,
  grant: DocumentGrant,
  { ident, file }: { ident: string; file: WrittenFile },
): Promise<void> {
  const store = (await currentStores(ctx, grant)).target(file.sizeBytes);
  await store.put(ident, file);
  if (store.id !== null) await ctx.documents.call(grant, "attachments.recordMoved", { ident, storageId: store.id });
}

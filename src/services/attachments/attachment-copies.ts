import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { StoredContent } from "../../hosts/verbs/attachments.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import { storeAt, storesOf } from "./attachment-stores.ts";
import { copyContent, fetchContent } from "./attachment-transfers.ts";
import type { Context } from "../context.ts";

export interface CopiedContents {
  readonly from: DocumentGrant;
  /** UUID of the document that now refers to them as well. */
  readonly to: string;
  readonly stored: readonly StoredContent[];
}

/** Copies stored files of another document to a document. Skips files that do not exist. */
export async function copyContents(ctx: Context, { from, to, stored }: CopiedContents): Promise<void> {
  for (const { ident, storageId } of stored) {
    const target = [ctx.files.folderStore(to), ctx.files.bucketStore(to)].find((store) => store?.id === storageId);
    if (!target || (await ctx.files.copy(ident, { id: target.id, from: from.uuid, to }))) continue;
    const source = await findHoldingStore(ctx, from, ident);
    if (!source || (await target.size(ident)) !== null) continue;
    await copyContent(ctx, ident, { from: source, to: target });
  }
}

/** Returns the store that currently contains a file. */
async function findHoldingStore(ctx: Context, grant: DocumentGrant, ident: string) {
  const [location = null] = await ctx.documents.call(grant, "attachments.locations", { idents: [ident] });
  const store = storeAt(storesOf(ctx, grant, null), location);
  return store && (await store.size(ident)) !== null ? store : null;
}

/** The largest file to embed in a document file for download: SQLite holds each in memory three times. */
const MAX_EMBEDDED_BYTES = 100 * 1024 ** 2;

/**
 * Embeds stored files in a copy of the document file, to make it self-contained.
 * @throws AppError `tooLarge` for a file above the limit
 */
export async function embedContents(
  ctx: Context,
  grant: DocumentGrant,
  { path, stored }: { path: string; stored: readonly StoredContent[] },
): Promise<void> {
  for (const { ident } of stored) {
    const source = await findHoldingStore(ctx, grant, ident);
    const sizeBytes = (await source?.size(ident)) ?? null;
    if (!source || sizeBytes === null) continue;
    if (sizeBytes > MAX_EMBEDDED_BYTES) {
      throw new AppError(
        "tooLarge",
        `An attachment of ${sizeBytes} bytes exceeds the limit for embedding: request the document with noattachments=1, and download the archive of attachments`,
      );
    }
    const temporaryPath = join(ctx.files.temporaryFolder, temporaryName("content"));
    try {
      await fetchContent(source, ident, temporaryPath);
      await ctx.documents.embed(path, [{ ident, path: temporaryPath }]);
    } finally {
      await rm(temporaryPath, { force: true });
    }
  }
}

import { rm } from "node:fs/promises";
import type { DocumentGrant } from "../../authorization.ts";
import { streamAndDelete } from "../../files/temporary-file-stream.ts";
import { must } from "../../lib/assert.ts";
import { embedContents } from "../attachments/attachment-copies.ts";
import type { Context } from "../context.ts";

/**
 * Returns the name of a download without its extension: the requested name, or the names of the document and the table.
 * @param table its id, if the file contains only that table
 */
export function downloadName(
  { home }: Context,
  { documentId }: DocumentGrant,
  { title, table }: { title?: string | undefined; table?: string | undefined },
): string {
  if (title) return title;
  const { name } = must(home.documents.byId(documentId), "document");
  return table && table !== name ? `${name}-${table}` : name;
}

export interface DocumentDownloadOptions {
  readonly asTemplate: boolean;
  readonly withoutHistory: boolean;
  /** Exclude attachments stored outside of the document file. */
  readonly withoutAttachments: boolean;
}

/**
 * Returns a consistent snapshot of the document file, without blocking concurrent reads and writes.
 * @throws AppError `forbidden` if anything in it is hidden from the caller, `tooLarge` if an attachment cannot be
 * embedded
 */
export async function downloadDocument(
  ctx: Context,
  grant: DocumentGrant,
  options: DocumentDownloadOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { path, stored } = await ctx.documents.exportFile(grant, options);
  try {
    if (!options.withoutAttachments) await embedContents(ctx, grant, { path, stored });
    return await streamAndDelete(path, ctx.temporary);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

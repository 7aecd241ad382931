import { rm } from "node:fs/promises";
import type { DocumentGrant } from "../../authorization.ts";
import { streamAndDelete } from "../../files/temporary-file-stream.ts";
import { must } from "../../lib/assert.ts";
import { embedContents } from "../attachments/attachment-copies.ts";
import type { Context } from "../context.ts";

/**
 * What a file made of a document is called, without its ending: after the document and the table, or as asked.
 * @param table its id, when the file holds just that
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
  /** Leave out the contents of attachments that lie outside of the document's file. */
  readonly withoutAttachments: boolean;
}

/**
 * The document's file as it is at one moment, while others go on reading and writing.
 * @throws AppError `forbidden` when something in it is hidden from the caller, `tooLarge` when a file does not fit
 */
export async function downloadDocument(
  ctx: Context,
  grant: DocumentGrant,
  options: DocumentDownloadOptions,
): Promise<ReadableStream<Uint8Array>> {
  const { path, stored } = await ctx.documents.exportFile(grant, options);
  try {
    if (!options.withoutAttachments) await embedContents(ctx, grant, { path, stored });
    return await streamAndDelete(path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

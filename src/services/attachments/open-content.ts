import type { DocumentGrant } from "../../authorization.ts";
import { notFound } from "../../errors.ts";
import type { AttachmentStore, ByteRange, FileContent } from "../../files/attachment-store.ts";
import type { FoundAttachment } from "../../hosts/verbs/attachments.ts";
import type { Context } from "../context.ts";
import { storeAt, storesOf } from "./attachment-stores.ts";

/** The bytes of an attachment. */
export interface OpenedContent {
  readonly sizeBytes: number;
  /** Returns the bytes, or a range of them. */
  read(range?: ByteRange): Promise<FileContent>;
}

/** Opens an attachment's file in its current store; returns null if it is lost. */
export async function openContent(
  ctx: Context,
  grant: DocumentGrant,
  { ident, location }: Pick<FoundAttachment, "ident" | "location">,
): Promise<OpenedContent | null> {
  // The document's chosen store matters only for new files.
  const stores = storesOf(ctx, grant, null);
  // A concurrent transfer copies to the new store before it removes from the old one, so one retry suffices.
  const reopen = async () => {
    const [current = null] = await ctx.documents.call(grant, "attachments.locations", { idents: [ident] });
    return openAt(ident, storeAt(stores, current));
  };
  const opened = (await openAt(ident, storeAt(stores, location))) ?? (await reopen());
  if (!opened) return null;
  return {
    sizeBytes: opened.sizeBytes,
    async read(range) {
      const content = (await opened.read(range)) ?? (await (await reopen())?.read(range));
      if (content) return content;
      throw notFound("The attachment was deleted", "attachment.not_found");
    },
  };
}

async function openAt(ident: string, store: AttachmentStore | null) {
  const sizeBytes = (await store?.size(ident)) ?? null;
  return store && sizeBytes !== null ? { sizeBytes, read: (range?: ByteRange) => store.read(ident, range) } : null;
}

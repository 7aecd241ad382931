import { readFile } from "node:fs/promises";
import type { DocumentGrant } from "../../authorization.ts";
import type {
  AttachmentStore,
  ByteRange,
  FileContent,
  LocalFile,
  ExternalStore,
} from "../../files/attachment-store.ts";
import type { ContentLocation } from "../../hosts/verbs/attachments.ts";
import type { Context } from "../context.ts";

/** Files in the document file: small ones, each read into memory as a whole. */
export class InlineStore implements AttachmentStore {
  readonly id = null;
  readonly #ctx: Context;
  readonly #grant: DocumentGrant;

  constructor(ctx: Context, grant: DocumentGrant) {
    this.#ctx = ctx;
    this.#grant = grant;
  }

  async put(ident: string, { path }: LocalFile): Promise<void> {
    const contents = [{ ident, bytes: await readFile(path) }];
    await this.#ctx.documents.call(this.#grant, "attachments.put", { contents });
  }

  async size(ident: string): Promise<number | null> {
    const [location] = await this.#ctx.documents.call(this.#grant, "attachments.locations", { idents: [ident] });
    return location?.kind === "embedded" ? location.sizeBytes : null;
  }

  async read(ident: string, range: ByteRange = WHOLE_RANGE): Promise<FileContent | null> {
    const bytes = await this.#ctx.documents.call(this.#grant, "attachments.read", {
      ident,
      start: range.start,
      endExclusive: range.end,
    });
    return bytes as Uint8Array<ArrayBuffer> | null;
  }
}

const WHOLE_RANGE: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** The possible stores of a document's attachments. */
export interface DocumentStores {
  /** Stores outside of the document file. */
  readonly external: readonly ExternalStore[];
  /** Returns null for a store that this server does not have. */
  byId(id: string | null): AttachmentStore | null;
  /** Returns the store for a new file of this size. */
  target(sizeBytes: number): AttachmentStore;
}

/** @param chosenId the store in the document's settings; ignored if this server does not have it */
export function storesOf(ctx: Context, grant: DocumentGrant, chosenId: string | null): DocumentStores {
  const inline = new InlineStore(ctx, grant);
  const folder = ctx.files.folderStore(grant.uuid);
  const bucket = ctx.files.bucketStore(grant.uuid);
  const external = bucket ? [folder, bucket] : [folder];
  const preferred = bucket && chosenId === bucket.id ? bucket : null;
  return {
    external,
    byId: (id) => (id === null ? inline : (external.find((store) => store.id === id) ?? null)),
    target: (sizeBytes) => preferred ?? (sizeBytes <= ctx.files.inlineMaxBytes ? inline : folder),
  };
}

/** Like `storesOf`, by the document's own settings. */
export const currentStores = async (ctx: Context, grant: DocumentGrant): Promise<DocumentStores> =>
  storesOf(ctx, grant, await ctx.documents.call(grant, "attachments.store", {}));

/** Returns the store of a file; null if the file is lost, or in a store that this server does not have. */
export function storeAt(stores: DocumentStores, location: ContentLocation | null): AttachmentStore | null {
  if (!location || location.kind === "missing") return null;
  return stores.byId(location.kind === "embedded" ? null : location.storageId);
}

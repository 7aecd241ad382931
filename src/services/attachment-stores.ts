import { readFile } from "node:fs/promises";
import type { DocumentGrant } from "../access.ts";
import type { AttachmentStore, ByteRange, FileContent, LocalFile, SweptStore } from "../files/store.ts";
import type { ContentLocation } from "../hosts/attachment-verbs.ts";
import type { Context } from "./context.ts";

/** Contents in the document's own file: small ones, each in memory as a whole. */
export class InsideStore implements AttachmentStore {
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
    const [place] = await this.#ctx.documents.call(this.#grant, "attachments.places", { idents: [ident] });
    return place?.kind === "inside" ? place.sizeBytes : null;
  }

  async read(ident: string, range: ByteRange = WHOLE): Promise<FileContent | null> {
    const bytes = await this.#ctx.documents.call(this.#grant, "attachments.read", {
      ident,
      start: range.start,
      endExclusive: range.end,
    });
    return bytes as Uint8Array<ArrayBuffer> | null;
  }
}

const WHOLE: ByteRange = { start: 0, end: Number.MAX_SAFE_INTEGER };

/** The stores that one document's attachments can be in. */
export interface DocumentStores {
  /** Those outside of the document's file. */
  readonly swept: readonly SweptStore[];
  /** Null for a store that this server does not have. */
  byId(id: string | null): AttachmentStore | null;
  /** Where a new content of that size belongs. */
  target(sizeBytes: number): AttachmentStore;
}

/** @param chosen what the document's settings name; what this server does not have counts as nothing */
export function storesOf(ctx: Context, grant: DocumentGrant, chosen: string | null): DocumentStores {
  const inside = new InsideStore(ctx, grant);
  const folder = ctx.files.folder(grant.uuid);
  const bucket = ctx.files.bucket(grant.uuid);
  const swept = bucket ? [folder, bucket] : [folder];
  const wanted = bucket && chosen === bucket.id ? bucket : null;
  return {
    swept,
    byId: (id) => (id === null ? inside : (swept.find((store) => store.id === id) ?? null)),
    target: (sizeBytes) => wanted ?? (sizeBytes <= ctx.files.insideBytes ? inside : folder),
  };
}

/** As `storesOf`, by the document's own settings. */
export const currentStores = async (ctx: Context, grant: DocumentGrant): Promise<DocumentStores> =>
  storesOf(ctx, grant, await ctx.documents.call(grant, "attachments.store", {}));

/** The store that a content is in; null when it is lost, or in one that this server does not have. */
export function storeAt(stores: DocumentStores, place: ContentLocation | null): AttachmentStore | null {
  if (!place || place.kind === "lost") return null;
  return stores.byId(place.kind === "inside" ? null : place.storageId);
}

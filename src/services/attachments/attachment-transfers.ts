import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { BUCKET_STORE } from "../../files/bucket-store.ts";
import { type AttachmentStore, toStream } from "../../files/attachment-store.ts";
import type { AttachmentTransfer } from "../../files/attachment-transfers.ts";
import { type WrittenFile, writeStreamToFile } from "../../files/write-file.ts";
import type { FoundAttachment } from "../../hosts/verbs/attachments.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import type { StoreChoice, StoreKind, TransferStatus } from "../../wire/attachments/attachment-stores.ts";
import { currentStores, type DocumentStores, storeAt } from "./attachment-stores.ts";
import type { Context } from "../context.ts";

/** Returns the store of new attachments. */
export async function storeKind(ctx: Context, grant: DocumentGrant): Promise<StoreKind> {
  const chosen = await ctx.documents.call(grant, "attachments.store", {});
  return { type: ctx.files.hasBucket && chosen === BUCKET_STORE ? "external" : "internal" };
}

/** Returns the external stores of this server. */
export const externalStores = ({ files }: Context): { stores: { label: string }[] } => ({
  stores: files.hasBucket ? [{ label: BUCKET_STORE }] : [],
});

/**
 * Sets the store of new attachments. Existing files stay until they are transferred.
 * @throws AppError `invalid` if this server has no external store
 */
export async function chooseStore(ctx: Context, grant: DocumentGrant, { type }: StoreKind): Promise<StoreChoice> {
  if (type === "external" && !ctx.files.hasBucket) throw invalid("This server has no external store for attachments");
  const storeId = type === "external" ? BUCKET_STORE : null;
  await ctx.documents.call(grant, "attachments.chooseStore", { storeId });
  return storeChoice({ type });
}

/** Returns the answer of `chooseStore`. */
export const storeChoice = ({ type }: StoreKind): StoreChoice => (type === "external" ? { store: BUCKET_STORE } : {});

/** Returns the progress of the transfer, and the stores in use. */
export async function transferStatus(ctx: Context, grant: DocumentGrant): Promise<TransferStatus> {
  const { pending = 0, isRunning = false, successes = 0, failures = 0 } = ctx.transfers.find(grant.uuid) ?? {};
  const { total, stored } = await ctx.documents.call(grant, "attachments.count", {});
  const external = stored.get(BUCKET_STORE) ?? 0;
  const locationSummary = external === 0 ? "internal" : external === total ? "external" : "mixed";
  return { status: { pendingTransferCount: pending, isRunning, successes, failures }, locationSummary };
}

/** Starts to transfer all files to the stores that the document's settings and their sizes require. */
export async function transferAll(ctx: Context, grant: DocumentGrant): Promise<TransferStatus> {
  const stores = await currentStores(ctx, grant);
  const contents = await ctx.documents.call(grant, "attachments.contents", {});
  const misplaced = contents.filter((found) => isMisplaced(stores, found));
  ctx.transfers.start(grant.uuid, misplaced.length, (transfer) =>
    moveContents(ctx, grant, { transfer, stores, misplaced }),
  );
  return transferStatus(ctx, grant);
}

interface MoveBatch {
  readonly transfer: AttachmentTransfer;
  readonly stores: DocumentStores;
  readonly misplaced: readonly FoundAttachment[];
}

async function moveContents(
  ctx: Context,
  grant: DocumentGrant,
  { transfer, stores, misplaced }: MoveBatch,
): Promise<void> {
  for (const found of misplaced) {
    if (ctx.transfers.isClosed) return;
    try {
      await ctx.files.locks.runShared(grant.uuid, () => moveContent(ctx, grant, { stores, ident: found.ident }));
      transfer.successes++;
    } catch (error) {
      transfer.failures++;
      const logFields = { document: grant.uuid, attachment: found.id, error: String(error) };
      ctx.log.warn("attachment.transfer_failed", logFields);
    }
    transfer.pending--;
  }
}

/** Lost files and files in stores of other servers are not transferred. */
function isMisplaced(stores: DocumentStores, { location, sizeBytes }: FoundAttachment): boolean {
  const currentStore = storeAt(stores, location);
  return currentStore !== null && currentStore.id !== stores.target(sizeBytes).id;
}

/**
 * Copies to the new store, then updates the document's row, then removes from the old store, so that the file always
 * exists.
 */
async function moveContent(
  ctx: Context,
  grant: DocumentGrant,
  { stores, ident }: { stores: DocumentStores; ident: string },
): Promise<void> {
  const [location = null] = await ctx.documents.call(grant, "attachments.locations", { idents: [ident] });
  const from = storeAt(stores, location);
  const sizeBytes = (await from?.size(ident)) ?? null;
  // Deleted concurrently.
  if (!from || sizeBytes === null) {
    if (location === null) return;
    throw notFound("The file of the attachment is missing", "attachment.not_found");
  }
  const to = stores.target(sizeBytes);
  if (to.id === from.id) return;
  await copyContent(ctx, ident, { from, to });
  if (to.id !== null) await ctx.documents.call(grant, "attachments.recordMoved", { ident, storageId: to.id });
  // A snapshot refers to the file in its old store.
  const retained = await ctx.snapshots.contents(grant.uuid);
  if (retained.some((content) => content.ident === ident && content.storageId === from.id)) return;
  await stores.external.find(({ id }) => id === from.id)?.remove(ident);
}

/** Copies through a temporary file, so that the new store gets a complete file or none, with little memory. */
export async function copyContent(
  ctx: Context,
  ident: string,
  { from, to }: { from: AttachmentStore; to: AttachmentStore },
): Promise<void> {
  const path = join(ctx.files.temporaryFolder, temporaryName("transfer"));
  try {
    await to.put(ident, await fetchContent(from, ident, path));
  } finally {
    await rm(path, { force: true });
  }
}

/**
 * Writes a stored file to a local file.
 * @throws AppError `notFound`, `damaged` if it does not match its hash
 */
export async function fetchContent(from: AttachmentStore, ident: string, path: string): Promise<WrittenFile> {
  const content = await from.read(ident);
  if (!content) throw notFound("The file of the attachment is missing", "attachment.not_found");
  const stream = Readable.fromWeb(toStream(content) as Parameters<typeof Readable.fromWeb>[0]);
  const written = await writeStreamToFile(stream, path, Number.POSITIVE_INFINITY);
  // Documents from other servers can have arbitrary names for files; damaged files are not transferred.
  if (!ident.startsWith(written.sha1)) throw new AppError("damaged", "The file does not match its hash");
  return written;
}

import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { StoredContent } from "../../hosts/verbs/attachments.ts";
import { storesOf } from "./attachment-stores.ts";
import { openContent } from "./attachments.ts";
import type { Context } from "../context.ts";
import { systemGrant } from "../access/guards.ts";

/** Notes which attachments stand in no cell, and since when. */
export const markUnused = (ctx: Context, grant: DocumentGrant): Promise<void> =>
  ctx.documents.call(grant, "attachments.mark", {});

/** What was stored so long ago and is referred to by nothing was left by a crash. */
const ORPHAN_MIN_AGE_MS = 3_600_000;

export interface RemoveUnusedOptions {
  /** Only those that have stood in no cell for a week. */
  readonly expiredOnly: boolean;
}

/** Removes the attachments that stand in no cell, their contents, and what crashes left in the stores. */
export async function removeUnused(ctx: Context, grant: DocumentGrant, options: RemoveUnusedOptions): Promise<void> {
  await ctx.files.locks.runExclusive(grant.uuid, async () =>
    sweepStores(ctx, grant, await removeRows(ctx, grant, options)),
  );
}

/**
 * Removes the attachments of a document that have stood in no cell for a week; for the server itself. Passes over
 * documents in the trash, and waits while the machine's clock cannot be believed. Never throws: a failure is logged,
 * and the attachments go another time.
 */
export async function removeExpired(ctx: Context, uuid: string): Promise<void> {
  if (!ctx.clockJumpDetector.isTrusted()) return;
  try {
    const grant = systemGrant(ctx.home, uuid);
    if (!grant) return;
    await ctx.files.locks.runExclusive(uuid, () => removeRows(ctx, grant, { expiredOnly: true }));
    ctx.log.debug("attachments.sweep", { document: uuid });
  } catch (error) {
    ctx.log.warn("attachments.sweep_failed", { document: uuid, error: String(error) });
  }
}

/** Removes attachments and their contents. Answers the contents that stay as long as snapshots refer to them. */
async function removeRows(
  ctx: Context,
  grant: DocumentGrant,
  options: RemoveUnusedOptions,
): Promise<readonly StoredContent[]> {
  const retained = await ctx.snapshots.contents(grant.uuid);
  const removed = await ctx.documents.call(grant, "attachments.removeUnused", options);
  const stores = storesOf(ctx, grant, null);
  for (const { ident, storageId } of removed) {
    if (retained.some((content) => content.ident === ident && content.storageId === storageId)) continue;
    await stores.external.find(({ id }) => id === storageId)?.remove(ident);
  }
  return retained;
}

/** To be called when nothing is being stored. */
async function sweepStores(ctx: Context, grant: DocumentGrant, retained: readonly StoredContent[]): Promise<void> {
  // By the time of the disk and of the bucket, which is what they note.
  const before = Date.now() - ORPHAN_MIN_AGE_MS;
  const contents = [...(await ctx.documents.call(grant, "attachments.stored", {})), ...retained];
  for (const store of storesOf(ctx, grant, null).external) {
    const referenced = new Set(contents.filter(({ storageId }) => storageId === store.id).map(({ ident }) => ident));
    await store.sweep((ident) => referenced.has(ident), before);
  }
}

/**
 * Holds what the document says of its attachments against what is stored.
 * @throws AppError `damaged` naming the attachments whose content is missing, or is not of the size it should have
 */
export async function verifyAttachments(ctx: Context, grant: DocumentGrant): Promise<void> {
  await ctx.files.locks.runShared(grant.uuid, async () => {
    const missing: number[] = [];
    for (const found of await ctx.documents.call(grant, "attachments.contents", {})) {
      const content = await openContent(ctx, grant, found);
      const isWhole = found.location.kind === "inside" || content?.sizeBytes === found.sizeBytes;
      if (!isWhole) missing.push(found.id);
    }
    if (missing.length === 0) return;
    throw new AppError("damaged", "The contents of some attachments are missing or not what they were", {
      details: { attachments: missing },
    });
  });
}

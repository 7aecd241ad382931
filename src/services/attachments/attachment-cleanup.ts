import type { DocumentGrant } from "../../authorization.ts";
import { AppError } from "../../errors.ts";
import type { StoredContent } from "../../hosts/verbs/attachments.ts";
import { storesOf } from "./attachment-stores.ts";
import { openContent } from "./open-content.ts";
import type { Context } from "../context.ts";
import { systemGrant } from "../access/guards.ts";

/** Records which attachments no cell refers to, and since when. */
export const markUnused = (ctx: Context, grant: DocumentGrant): Promise<void> =>
  ctx.documents.call(grant, "attachments.mark", {});

/** Unreferenced files older than this are left over from a crash. */
const ORPHAN_MIN_AGE_MS = 3_600_000;

export interface RemoveUnusedOptions {
  /** Only attachments that have been unused for 7 days. */
  readonly expiredOnly: boolean;
}

/** Deletes unused attachments, their files, and files that crashes left in the stores. */
export async function removeUnused(ctx: Context, grant: DocumentGrant, options: RemoveUnusedOptions): Promise<void> {
  await ctx.files.locks.runExclusive(grant.uuid, async () =>
    sweepStores(ctx, grant, await removeRows(ctx, grant, options)),
  );
}

/**
 * Deletes the attachments of a document that have been unused for 7 days; for the server's own schedule. Skips
 * documents in the trash, and does nothing while the system clock is not trusted. Never throws: a failure is logged,
 * and the attachments are deleted the next time.
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

/** Deletes attachments and their files. Returns the files that are retained because snapshots refer to them. */
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

/**
 * In log mode deletes contents whose retention has passed, of the documents that this server owns; for its own schedule.
 * Never throws: a failure is logged, and the contents are deleted the next time. Skips documents in the trash.
 */
export async function deleteExpiredContents(ctx: Context): Promise<void> {
  const { logged, locks } = ctx.files;
  if (!logged) return;
  try {
    for (const uuid of await logged.documentsWithExpired()) {
      const grant = systemGrant(ctx.home, uuid);
      if (!grant) continue;
      await locks.runExclusive(uuid, async () => {
        const contents = [
          ...(await ctx.documents.call(grant, "attachments.stored", {})),
          ...(await ctx.snapshots.contents(uuid)),
        ];
        const referenced = new Set(contents.map(({ ident, storageId }) => `${storageId}/${ident}`));
        const deleted = await logged.deleteExpired(uuid, (ident, id) => referenced.has(`${id}/${ident}`));
        ctx.log.debug("attachments.contents_deleted", { document: uuid, deleted });
      });
    }
  } catch (error) {
    ctx.log.warn("attachments.contents_not_deleted", { error: String(error) });
  }
}

const CONTENT_DELETION_INTERVAL_MS = 3_600_000;
/** Soon after the start, but not in its way. */
const FIRST_CONTENT_DELETION_MS = 60_000;

/** Runs `deleteExpiredContents` every hour until the returned function is called. */
export function scheduleContentDeletion(ctx: Context): () => void {
  if (!ctx.files.logged) return () => {};
  let cancel = (): void => {};
  let isStopped = false;
  const later = (ms: number) => {
    cancel = ctx.timers.after(ms, async () => {
      await deleteExpiredContents(ctx);
      if (!isStopped) later(CONTENT_DELETION_INTERVAL_MS);
    });
  };
  later(FIRST_CONTENT_DELETION_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}

/** Must be called while no upload is in progress. */
async function sweepStores(ctx: Context, grant: DocumentGrant, retained: readonly StoredContent[]): Promise<void> {
  // Compared with the timestamps of the disk and the bucket, which use real time.
  const before = Date.now() - ORPHAN_MIN_AGE_MS;
  const contents = [...(await ctx.documents.call(grant, "attachments.stored", {})), ...retained];
  for (const store of storesOf(ctx, grant, null).external) {
    const referenced = new Set(contents.filter(({ storageId }) => storageId === store.id).map(({ ident }) => ident));
    await store.sweep((ident) => referenced.has(ident), before);
  }
}

/**
 * Compares the document's attachments with the stored files.
 * @throws AppError `damaged` naming the attachments whose file is missing or has the wrong size
 */
export async function verifyAttachments(ctx: Context, grant: DocumentGrant): Promise<void> {
  await ctx.files.locks.runShared(grant.uuid, async () => {
    const missing: number[] = [];
    for (const found of await ctx.documents.call(grant, "attachments.contents", {})) {
      const content = await openContent(ctx, grant, found);
      const isWhole = found.location.kind === "embedded" || content?.sizeBytes === found.sizeBytes;
      if (!isWhole) missing.push(found.id);
    }
    if (missing.length === 0) return;
    throw new AppError("damaged", "The files of some attachments are missing or damaged", {
      details: { attachments: missing },
    });
  });
}

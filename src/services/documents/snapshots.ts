import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentGrant } from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import type { RemoveSnapshots, Snapshots } from "../../wire/documents/snapshots.ts";
import { recordAuditSoon, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";

/** The id of a document's current content in the list of its snapshots. */
const CURRENT_ID = "current";

/** Returns the current content of a document and its snapshots, newest first. */
export async function listSnapshots(
  { home, lastChanges, snapshots }: Context,
  { uuid, documentId }: DocumentGrant,
): Promise<Snapshots> {
  const snapshotsOnDisk = await snapshots.list(uuid);
  const changedAt = lastChanges.of(must(home.documents.byId(documentId), "document"));
  const all = [{ id: CURRENT_ID, atMs: changedAt }, ...snapshotsOnDisk];
  return { snapshots: all.map(({ id, atMs }) => ({ snapshotId: id, lastModified: isoTime(atMs), docId: uuid })) };
}

/**
 * Restores a snapshot of a document, including history; the replaced content becomes a snapshot. Webhooks created after
 * the snapshot are removed; the queues of the others are preserved.
 * @throws AppError `notFound`, `damaged` if the snapshot cannot be read; the document is then unchanged
 */
export async function restoreSnapshot(ctx: Context, grant: DocumentGrant, snapshotId: string): Promise<void> {
  if (snapshotId === CURRENT_ID) return;
  const { home, documents, files, snapshots, webhooks, clock } = ctx;
  const { uuid, documentId } = grant;
  const file = join(files.temporaryFolder, temporaryName("snapshot"));
  try {
    await snapshots.decompress(uuid, snapshotId, file);
    // The lock prevents the removal of attachments that the snapshot refers to.
    await files.locks.runShared(uuid, () =>
      documents.restoreContent(grant, file, { keepAs: snapshots.newSnapshotPath(uuid) }),
    );
  } finally {
    await rm(file, { force: true });
  }
  home.transaction(() => {
    home.documents.change(documentId, { updatedAt: clock.now() });
    const details = { by: "snapshot", snapshot: snapshotId };
    recordAudit(ctx, { event: "document.replaced", actor: grant.actor, documentId, details });
  });
  webhooks.wake(uuid);
  await compressSnapshots(ctx, grant);
}

/** Deletes snapshots of a document: the given ones, or all. Returns the deleted ones. */
export async function removeSnapshots(
  ctx: Context,
  { actor, documentId, uuid }: DocumentGrant,
  { snapshotIds, select }: RemoveSnapshots,
): Promise<{ snapshotIds: string[] }> {
  if ((snapshotIds === undefined) === (select === undefined)) throw invalid("Provide either snapshotIds or select");
  const { snapshots } = ctx;
  const ids = snapshotIds ?? (await snapshots.list(uuid)).map(({ id }) => id);
  const removed = await snapshots.remove(uuid, ids);
  if (removed.length > 0) {
    recordAuditSoon(ctx, { event: "document.snapshots_deleted", actor, documentId, count: removed.length });
  }
  return { snapshotIds: removed };
}

/** Compresses replaced content; after a failure it stays uncompressed. */
export async function compressSnapshots({ snapshots, log }: Context, { uuid }: DocumentGrant): Promise<void> {
  try {
    await snapshots.compressPending(uuid);
  } catch (error) {
    log.warn("snapshot.compression_failed", { uuid, error: String(error) });
  }
}

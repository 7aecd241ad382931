import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentGrant } from "../../authorization.ts";
import { AppError, invalid } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { temporaryName } from "../../lib/temporary-names.ts";
import type { CreatedSnapshot, RemoveSnapshots, Snapshots } from "../../wire/documents/snapshots.ts";
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
 * @param ifState restore only if this is the hash of the newest state
 * @throws AppError `notFound`; `document.state_changed`; `damaged` if the snapshot cannot be read; the document is then unchanged
 */
export async function restoreSnapshot(
  ctx: Context,
  grant: DocumentGrant,
  snapshotId: string,
  { ifState }: { ifState?: string | undefined } = {},
): Promise<void> {
  if (snapshotId === CURRENT_ID) return;
  const { home, documents, files, snapshots, webhooks, clock } = ctx;
  const { uuid, documentId } = grant;
  const file = join(files.temporaryFolder, temporaryName("snapshot"));
  try {
    await snapshots.decompress(uuid, snapshotId, file);
    // The lock prevents the removal of attachments that the snapshot refers to.
    await files.locks.runShared(uuid, () =>
      documents.restoreContent(grant, file, { keepAs: snapshots.newSnapshotPath(uuid), ifState }),
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

/**
 * Saves the current content as a snapshot.
 * @throws AppError `conflict` when the server keeps no snapshots
 */
export async function createSnapshot(ctx: Context, grant: DocumentGrant): Promise<CreatedSnapshot> {
  const { documents, snapshots, log } = ctx;
  const { uuid } = grant;
  const known = new Set((await snapshots.list(uuid)).map(({ id }) => id));
  const state = await documents.keepContent(grant, () => snapshots.newSnapshotPath(uuid));
  await snapshots.compressPending(uuid);
  const created = (await snapshots.list(uuid)).find(({ id }) => !known.has(id));
  if (!created) throw new AppError("conflict", "This server keeps no snapshots");
  log.debug("snapshot.created", { uuid, snapshot: created.id });
  return { snapshotId: created.id, state };
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

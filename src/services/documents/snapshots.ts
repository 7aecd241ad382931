import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { DocumentGrant } from "../../authorization.ts";
import { invalid } from "../../errors.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import { newUuid } from "../../lib/ids.ts";
import type { RemoveSnapshots, Snapshots } from "../../wire/documents/snapshots.ts";
import type { Context } from "../context.ts";

/** The id of a document's present content in the list of its snapshots. */
const CURRENT_ID = "current";

/** The present content of a document, and the earlier ones that are kept, newest first. */
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
 * Gives a document an earlier content of its own, history included; what it was until then becomes a snapshot. Webhooks
 * that were made since are gone, and what waits for the others goes on waiting.
 * @throws AppError `notFound`, `damaged` when the snapshot cannot be read any more; the document is as it was then
 */
export async function restoreSnapshot(ctx: Context, grant: DocumentGrant, snapshotId: string): Promise<void> {
  if (snapshotId === CURRENT_ID) return;
  const { home, documents, files, snapshots, webhooks, clock } = ctx;
  const { uuid, documentId } = grant;
  const file = join(files.temporaryFolder, `snapshot-${newUuid()}`);
  try {
    await snapshots.decompress(uuid, snapshotId, file);
    // While it happens no attachment is removed that it brings back.
    await files.locks.runShared(uuid, () =>
      documents.restoreContent(grant, file, { keepAs: snapshots.newSnapshotPath(uuid) }),
    );
  } finally {
    await rm(file, { force: true });
  }
  home.transaction(() => home.documents.change(documentId, { updatedAt: clock.now() }));
  webhooks.wake(uuid);
  await compressSnapshots(ctx, grant);
}

/** Forgets snapshots of a document: those named, or all. Answers which went. */
export async function removeSnapshots(
  { snapshots }: Context,
  { uuid }: DocumentGrant,
  { snapshotIds, select }: RemoveSnapshots,
): Promise<{ snapshotIds: string[] }> {
  if ((snapshotIds === undefined) === (select === undefined)) throw invalid("Name either snapshotIds or select");
  const ids = snapshotIds ?? (await snapshots.list(uuid)).map(({ id }) => id);
  return { snapshotIds: await snapshots.remove(uuid, ids) };
}

/** Compresses what was replaced; where that fails it stays as it is, and takes more room. */
export async function compressSnapshots({ snapshots, log }: Context, { uuid }: DocumentGrant): Promise<void> {
  try {
    await snapshots.compressPending(uuid);
  } catch (error) {
    log.warn("snapshot.compression_failed", { uuid, error: String(error) });
  }
}

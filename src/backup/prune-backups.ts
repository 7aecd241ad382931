import { AppError } from "../errors.ts";
import { backupNames, blobsOf, readManifest, removeManifest } from "./manifest.ts";
import { blobKey, listBlobs } from "./blob-store.ts";
import type { BackupTarget } from "./backup-target.ts";

/** Unreferenced blobs older than this belong to an interrupted backup, not to a running one. */
const ORPHAN_AGE_MS = 24 * 3_600_000;

export interface PruneResult {
  /** Number of removed backups. */
  readonly removed: number;
  /** Unreadable backups, which are kept: their blobs are unknown, so no blobs were removed. */
  readonly damaged: readonly string[];
}

/** Removes the oldest backups beyond `keep` (0 keeps all), then the blobs that no backup references. */
export async function pruneBackups(target: BackupTarget, keep: number): Promise<PruneResult> {
  const names = await backupNames(target);
  const old = keep === 0 ? [] : names.slice(keep);
  const referenced = new Set<string>();
  const damaged: string[] = [];
  for (const name of names.slice(0, names.length - old.length)) {
    const contents = await contentsOf(target, name);
    if (!contents) damaged.push(name);
    for (const sha256 of contents ?? []) referenced.add(sha256);
  }
  const released = new Set<string>();
  for (const name of old) {
    for (const sha256 of (await contentsOf(target, name)) ?? []) released.add(sha256);
    await removeManifest(target, name);
  }
  if (damaged.length === 0) await removeUnreferenced(target, referenced, released);
  return { removed: old.length, damaged };
}

/** Returns the hashes of a backup's blobs; null when it is unreadable. */
async function contentsOf(target: BackupTarget, name: string): Promise<Iterable<string> | null> {
  try {
    return blobsOf(await readManifest(target, name)).keys();
  } catch (error) {
    if (error instanceof AppError && ["damaged", "invalid"].includes(error.code)) return null;
    throw error;
  }
}

async function removeUnreferenced(
  target: BackupTarget,
  referenced: ReadonlySet<string>,
  released: ReadonlySet<string>,
): Promise<void> {
  const before = Date.now() - ORPHAN_AGE_MS;
  for await (const { sha256, storedAtMs } of listBlobs(target)) {
    if (referenced.has(sha256) || (!released.has(sha256) && storedAtMs >= before)) continue;
    await target.remove(blobKey(sha256));
  }
}

import { AppError } from "../errors.ts";
import { backupNames, readManifest } from "./manifest.ts";
import { sizesOf } from "./create-backup.ts";
import type { BackupTarget } from "./backup-target.ts";

/** A backup in a listing. */
export interface BackupListing {
  readonly name: string;
  /** ISO 8601; null for an unreadable backup. */
  readonly createdAt: string | null;
  readonly documents: number;
  /** Total size before compression. */
  readonly sizeBytes: number;
  /** Compressed size; contents shared between backups count for each. */
  readonly packedBytes: number;
  /** Number of documents that could not be backed up completely. */
  readonly problems: number;
  /** Why it cannot be used; null for a usable backup. */
  readonly damage: string | null;
}

/**
 * Lists the backups in a target, newest first.
 * @throws AppError `unavailable`
 */
export async function listBackups(target: BackupTarget): Promise<BackupListing[]> {
  const listed: BackupListing[] = [];
  for (const name of await backupNames(target)) listed.push(await toListing(target, name));
  return listed;
}

/** Returns the newest backup in a target; null when it is empty. @throws AppError `unavailable` */
export async function newestBackup(target: BackupTarget): Promise<BackupListing | null> {
  const [name] = await backupNames(target);
  return name === undefined ? null : toListing(target, name);
}

async function toListing(target: BackupTarget, name: string): Promise<BackupListing> {
  try {
    const manifest = await readManifest(target, name);
    const { createdAt, documents, problems } = manifest;
    const uuids = new Set(problems.map(({ uuid }) => uuid));
    return { name, createdAt, documents: documents.length, ...sizesOf(manifest), problems: uuids.size, damage: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "unavailable") throw error;
    const empty = { createdAt: null, documents: 0, sizeBytes: 0, packedBytes: 0, problems: 0 };
    return { name, ...empty, damage: error.message };
  }
}

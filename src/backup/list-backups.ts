import { AppError } from "../errors.ts";
import { backupNames, readManifest } from "./manifest.ts";
import { sizesOf } from "./create-backup.ts";
import type { BackupTarget } from "./backup-target.ts";

/** A backup as it is listed. */
export interface BackupListing {
  readonly name: string;
  /** ISO 8601; null for one that cannot be read. */
  readonly createdAt: string | null;
  readonly documents: number;
  /** All contents, before they were compressed. */
  readonly sizeBytes: number;
  /** As they lie there; what other backups have too counts for each. */
  readonly packedBytes: number;
  /** Documents that could not be backed up as they were. */
  readonly problems: number;
  /** Why it cannot be used; null for one that can. */
  readonly damage: string | null;
}

/**
 * The backups in a place, newest first.
 * @throws AppError `unavailable`
 */
export async function listBackups(target: BackupTarget): Promise<BackupListing[]> {
  const listed: BackupListing[] = [];
  for (const name of await backupNames(target)) listed.push(await toListing(target, name));
  return listed;
}

/** The newest backup in a place; null when there is none. @throws AppError `unavailable` */
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

import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { copyHome, listFolderDocuments, removeDocumentsFromCopy } from "../home/home-copy.ts";
import { VERSION } from "../lib/build.ts";
import { type Clock, isoTime } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { acquireLock } from "../sqlite/lock.ts";
import { DocumentBackup } from "./document-backup.ts";
import {
  backupNames,
  type Blob,
  blobsOf,
  type DocumentEntry,
  type Manifest,
  readManifest,
  writeManifest,
} from "./manifest.ts";
import { BlobStore } from "./blob-store.ts";
import { pruneBackups } from "./prune-backups.ts";
import { SnapshotStore } from "./snapshots.ts";
import type { BackupTarget } from "./backup-target.ts";
import { formatCompactTime, parseCompactTime } from "./compact-time.ts";

export interface BackupOptions {
  /** The data folder. */
  readonly folder: string;
  readonly target: BackupTarget;
  /** How many backups stay there; 0 keeps all. */
  readonly keep: number;
  /** How many snapshots each document keeps. */
  readonly keepSnapshots: number;
  readonly clock: Clock;
}

/** What a backup came to. */
export interface BackupReport {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly documents: number;
  /** Of these, the ones that were as in the backup before. */
  readonly unchanged: number;
  /** All contents, before they were compressed. */
  readonly sizeBytes: number;
  /** As they lie there; what is there more than once counts once. */
  readonly packedBytes: number;
  /** Of these, what was not there before. */
  readonly addedBytes: number;
  readonly durationMs: number;
  /** Older backups that were removed. */
  readonly removed: number;
  /** Names of backups there that cannot be used any more. */
  readonly damaged: readonly string[];
  /** Contents of attachments that lie in a bucket, and are no part of it. */
  readonly elsewhere: number;
  /** What could not be backed up as it is. The rest is. */
  readonly problems: Manifest["problems"];
}

/**
 * Makes a backup of a data folder, beside a server that may be running on it, in a process of its own. It takes what
 * changed since the last one there.
 * @throws AppError `conflict` while another one is being made, `invalid`, `storage`, `unavailable`; nothing is left then
 */
export async function createBackup(options: BackupOptions): Promise<BackupReport> {
  const { folder, target, keep } = options;
  const startedMs = performance.now();
  // Fails where there is nothing to be backed up, before anything is made.
  listFolderDocuments(folder);
  using _lock = lockBackups(folder);
  await removeTemporaryFiles(join(folder, "tmp"));
  using _place = await target.prepare();
  const pool = await BlobStore.open(target);
  const created = await writeBackup(options, pool);
  const { removed, damaged } = await pruneBackups(target, keep);
  const { manifest, name, unchanged } = created;
  return {
    name,
    createdAt: manifest.createdAt,
    documents: manifest.documents.length,
    unchanged,
    ...sizesOf(manifest),
    addedBytes: pool.addedBytes,
    durationMs: Math.round(performance.now() - startedMs),
    removed,
    damaged,
    elsewhere: manifest.documents.reduce((sum, { elsewhere }) => sum + elsewhere, 0),
    problems: manifest.problems,
  };
}

interface CreatedBackup {
  readonly name: string;
  readonly manifest: Manifest;
  readonly unchanged: number;
}

/** Contents first, and the list of them last: until then there is no new backup, and afterwards a whole one. */
async function writeBackup(options: BackupOptions, pool: BlobStore): Promise<CreatedBackup> {
  const { target, clock } = options;
  try {
    const [newest] = await backupNames(target);
    const { home, documents, unchanged, problems } = await collectContents(options, { pool, newest });
    const nowMs = clock.now();
    const manifest: Manifest = {
      format: 1,
      createdAt: isoTime(nowMs),
      version: VERSION,
      home,
      documents,
      problems,
    };
    // The newest by its name as well, also when the clock was set back.
    const name = formatCompactTime(Math.max(nowMs, newest === undefined ? 0 : (parseCompactTime(newest) ?? 0) + 1));
    await writeManifest(target, name, manifest);
    return { name, manifest, unchanged };
  } catch (error) {
    await pool.rollback().catch(() => {});
    throw toAppError(error);
  }
}

interface CollectedContents extends Pick<Manifest, "home" | "documents" | "problems"> {
  readonly unchanged: number;
}

/**
 * The documents, and after them the home database: who lost access while they were read has none in the backup.
 * Documents that were made meanwhile follow, and those that were deleted meanwhile are taken from its copy.
 */
async function collectContents(
  { folder, target, keepSnapshots, clock }: BackupOptions,
  { pool, newest }: { pool: BlobStore; newest: string | undefined },
): Promise<CollectedContents> {
  const { temporaryFolder } = target;
  const problems: Manifest["problems"] = [];
  const reportProblem = (uuid: string, problem: string) => void problems.push({ uuid, problem });
  const previousEntries = await documentsOf(target, newest);
  const snapshots = new SnapshotStore({ folder, keep: keepSnapshots, clock });
  const source = new DocumentBackup({ folder, pool, temporaryFolder, snapshots, previousEntries, reportProblem });
  const stored = await storeAll(source, listFolderDocuments(folder));
  const copy = join(temporaryFolder, `backup-${randomHex(8)}.sqlite`);
  try {
    const listed = copyHome(folder, copy);
    const isNew = ({ uuid }: { uuid: string }) => !stored.has(uuid);
    for (const [uuid, entry] of await storeAll(source, listed.filter(isNew))) stored.set(uuid, entry);
    const remaining = new Set(listFolderDocuments(folder).map(({ uuid }) => uuid));
    const documents: DocumentEntry[] = [];
    const removedUuids: string[] = [];
    for (const { uuid } of listed) {
      const found = stored.get(uuid) ?? { problem: "its file is missing" };
      if ("blob" in found) documents.push(found);
      else if (!remaining.has(uuid)) removedUuids.push(uuid);
      else {
        const previousEntry = previousEntries.get(uuid);
        reportProblem(
          uuid,
          previousEntry ? `${found.problem}: an earlier backup's copy of it was kept` : found.problem,
        );
        if (previousEntry) documents.push(previousEntry);
      }
    }
    removeDocumentsFromCopy(copy, removedUuids);
    return { home: await pool.store(copy), documents, unchanged: source.unchanged, problems };
  } finally {
    await rm(copy, { force: true });
  }
}

/** What became of each document: its entry, or why there is none. */
type StoreResults = Map<string, DocumentEntry | { readonly problem: string }>;

async function storeAll(source: DocumentBackup, documents: readonly { uuid: string }[]): Promise<StoreResults> {
  const stored: StoreResults = new Map();
  const unstable: string[] = [];
  for (const { uuid } of documents) {
    if (source.msUntilStable(uuid) > 0) unstable.push(uuid);
    else stored.set(uuid, await storeOne(source, uuid));
  }
  for (const uuid of unstable) {
    await Bun.sleep(source.msUntilStable(uuid));
    stored.set(uuid, await storeOne(source, uuid));
  }
  return stored;
}

async function storeOne(source: DocumentBackup, uuid: string): Promise<DocumentEntry | { problem: string }> {
  try {
    return await source.store(uuid);
  } catch (error) {
    if (!source.exists(uuid)) return { problem: "its file is missing" };
    if (error instanceof AppError && ["damaged", "invalid", "unavailable"].includes(error.code)) {
      return { problem: `its file cannot be read: ${error.message}` };
    }
    throw error;
  }
}

/** The documents of the backup before; none when it cannot be read: then everything is read anew. */
async function documentsOf(target: BackupTarget, name: string | undefined): Promise<Map<string, DocumentEntry>> {
  if (name === undefined) return new Map();
  try {
    const { documents } = await readManifest(target, name);
    return new Map(documents.map((entry) => [entry.uuid, entry]));
  } catch (error) {
    if (error instanceof AppError && error.code !== "unavailable") return new Map();
    throw error;
  }
}

/** How much a backup holds. */
export function sizesOf(manifest: Manifest): Pick<BackupReport, "sizeBytes" | "packedBytes"> {
  const blobs = [...blobsOf(manifest).values()];
  const sum = (of: (blob: Blob) => number): number => blobs.reduce((total, blob) => total + of(blob), 0);
  return { sizeBytes: sum(({ sizeBytes }) => sizeBytes), packedBytes: sum(({ packedBytes }) => packedBytes) };
}

function lockBackups(folder: string): Disposable {
  try {
    return acquireLock(join(folder, "backup.lock"));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new AppError("conflict", `another backup of ${folder} is being made`);
  }
}

/** What a backup left that was ended. Whoever holds the lock is the only one to make such files. */
async function removeTemporaryFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.startsWith("backup-")) await rm(join(folder, name), { force: true });
  }
}

function toAppError(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") return new AppError("storage", "the disk is full", { cause: error });
  return error;
}

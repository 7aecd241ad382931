import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../errors.ts";
import { copyHome, listFolderDocuments, removeDocumentsFromCopy } from "../home/home-copy.ts";
import { HOME_FILE } from "../home/home-upgrade.ts";
import { VERSION } from "../lib/build.ts";
import { type Clock, isoTime } from "../lib/time/clock.ts";
import { randomHex } from "../lib/ids.ts";
import { acquireLock } from "../sqlite/lock.ts";
import { DocumentBackup, type LoggedContentsReader, type LoggedDocumentsReader } from "./document-backup.ts";
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
  /** Number of backups to keep; 0 keeps all. */
  readonly keep: number;
  /** Number of snapshots to keep per document. */
  readonly keepSnapshots: number;
  readonly clock: Clock;
  /** Where attachments are in log mode. */
  readonly loggedContents?: LoggedContentsReader | null;
  /** In a cluster: where the home database and the documents are. */
  readonly loggedDocuments?: LoggedDocumentsReader | null;
}

/** The result of a backup. */
export interface BackupReport {
  readonly name: string;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly documents: number;
  /** Documents that have not changed since the previous backup. */
  readonly unchanged: number;
  /** Total size before compression. */
  readonly sizeBytes: number;
  /** Compressed size; shared contents count once. */
  readonly packedBytes: number;
  /** Compressed size of the contents that this backup added. */
  readonly addedBytes: number;
  readonly durationMs: number;
  /** Number of older backups that were removed. */
  readonly removed: number;
  /** Names of existing backups that can no longer be used. */
  readonly damaged: readonly string[];
  /** Attachment contents that are stored in a bucket and are not included. */
  readonly elsewhere: number;
  /** Documents that could not be backed up completely. All others were. */
  readonly problems: Manifest["problems"];
}

/**
 * Creates an incremental backup of a data folder, in a separate process beside a running server.
 * @throws AppError `conflict` while another backup is running, `invalid`, `storage`, `unavailable`; no partial backup
 * remains
 */
export async function createBackup(options: BackupOptions): Promise<BackupReport> {
  const { folder, target, keep } = options;
  const startedMs = performance.now();
  // Throws for an invalid data folder before any file is created.
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

/** Writes the contents first and the manifest last: the backup exists only once it is complete. */
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
    // Names increase even when the clock was set back.
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
 * Backs up the documents, and then the home database: users who lost access in the meantime have none in the backup.
 * Documents created in the meantime are added; documents deleted in the meantime are removed from the copy.
 */
async function collectContents(
  options: BackupOptions,
  { pool, newest }: { pool: BlobStore; newest: string | undefined },
): Promise<CollectedContents> {
  const { folder, target, keepSnapshots, clock, loggedContents = null, loggedDocuments = null } = options;
  const { temporaryFolder } = target;
  const problems: Manifest["problems"] = [];
  const reportProblem = (uuid: string, problem: string) => void problems.push({ uuid, problem });
  const previousEntries = await documentsOf(target, newest);
  const snapshots = new SnapshotStore({ folder, keep: keepSnapshots, clock });
  const common = { folder, pool, temporaryFolder, snapshots, loggedContents, loggedDocuments };
  const source = new DocumentBackup({ ...common, previousEntries, reportProblem });
  const stored = await storeAll(source, await withHome(options, listFolderDocuments));
  const copy = join(temporaryFolder, `backup-${randomHex(8)}.sqlite`);
  try {
    const listed = await withHome(options, (home) => copyHome(home, copy));
    const isNew = ({ uuid }: { uuid: string }) => !stored.has(uuid);
    for (const [uuid, entry] of await storeAll(source, listed.filter(isNew))) stored.set(uuid, entry);
    const remaining = new Set((await withHome(options, listFolderDocuments)).map(({ uuid }) => uuid));
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

/** Calls `read` with a folder that has the current home database. */
async function withHome<T>(
  { folder, target, loggedDocuments }: BackupOptions,
  read: (folder: string) => T,
): Promise<T> {
  if (!loggedDocuments) return read(folder);
  const copy = join(target.temporaryFolder, `backup-${randomHex(8)}.home`);
  try {
    await mkdir(copy, { mode: 0o700 });
    const version = await loggedDocuments.fetch(HOME_DOCUMENT, join(copy, HOME_FILE));
    if (version === null) throw new AppError("unavailable", "the log does not have the home database");
    return read(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** The home database is a document of this name in the log. */
const HOME_DOCUMENT = "home";

/** The result for each document: its entry, or the reason there is none. */
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
    if (!(await source.exists(uuid))) return { problem: "its file is missing" };
    if (error instanceof AppError && ["damaged", "invalid", "unavailable"].includes(error.code)) {
      return { problem: `its file cannot be read: ${error.message}` };
    }
    throw error;
  }
}

/** Returns the documents of the previous backup; empty when it is unreadable: all documents are then read in full. */
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

/** Returns the total sizes of a backup. */
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

/** Removes temporary files of an interrupted backup. Only the holder of the lock creates such files. */
async function removeTemporaryFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    if (name.startsWith("backup-")) await rm(join(folder, name), { recursive: true, force: true });
  }
}

function toAppError(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code === "ENOSPC" || code === "EDQUOT") return new AppError("storage", "the disk is full", { cause: error });
  return error;
}

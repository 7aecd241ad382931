import { createReadStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../errors.ts";
import { writeNewFile } from "../files/new-file.ts";
import { prepareRestoredHome } from "../home/home-copy.ts";
import { checkFile } from "../hosts/files/check-file.ts";
import type { Clock } from "../lib/time/clock.ts";
import { backupNames, type Blob, blobsOf, type DocumentEntry, type Manifest, readManifest } from "./manifest.ts";
import { blobKey, listBlobs } from "./blob-store.ts";
import { SnapshotStore } from "./snapshots.ts";
import type { BackupTarget } from "./backup-target.ts";
import { restoreIntoFolder } from "./restore-folder.ts";
import { fsyncPath, decompressToFile, verifyCompressed } from "./compression.ts";

export interface RestoreOptions {
  readonly target: BackupTarget;
  /** The data folder: missing or empty. */
  readonly folder: string;
  /** Name of the backup; the newest when absent. */
  readonly name?: string | undefined;
  /** False for a trial beside the running server: no webhooks are called. */
  readonly withWebhooks?: boolean;
  readonly clock: Clock;
  /** Called for each document after it was checked. */
  readonly onDocument?: (document: RestoredDocument) => void;
}

export interface RestoredDocument {
  readonly uuid: string;
  readonly name: string;
  /** Problems found by `quern doc check`; empty for an intact document. */
  readonly problems: readonly string[];
}

export interface RestoreReport {
  /** Name of the backup. */
  readonly name: string;
  readonly createdAt: string;
  readonly documents: readonly RestoredDocument[];
  /** Problems reported when the backup was made. */
  readonly problems: Manifest["problems"];
}

/**
 * Restores a data folder from a backup: verifies all checksums and checks every document before moving anything into
 * place.
 * @throws AppError `conflict` when the folder is not empty; `notFound`, `damaged`, `invalid` for a backup that is
 * unusable or incomplete; `storage`. The folder is then unchanged.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { target, folder } = options;
  const name = options.name ?? (await backupNames(target))[0];
  if (name === undefined) throw new AppError("notFound", `no backups in ${target.label}`);
  const manifest = await readManifest(target, name);
  await requireAllBlobs(target, name, manifest);
  try {
    const documents = await restoreIntoFolder(folder, (workFolder) =>
      assembleFolder(options, { manifest, workFolder }),
    );
    return { name, createdAt: manifest.createdAt, documents, problems: manifest.problems };
  } catch (error) {
    throw asRefusal(error, name);
  }
}

/** Rejects a backup with missing or truncated blobs before anything is written. */
async function requireAllBlobs(target: BackupTarget, name: string, manifest: Manifest): Promise<void> {
  const missing = blobsOf(manifest);
  for await (const { sha256, packedBytes } of listBlobs(target)) {
    if (missing.get(sha256)?.packedBytes === packedBytes) missing.delete(sha256);
  }
  if (missing.size === 0) return;
  const what = missing.size === 1 ? "1 of its contents is" : `${missing.size} of its contents are`;
  throw new AppError("damaged", `the backup ${name} in ${target.label} is incomplete: ${what} missing or truncated`);
}

interface RestoreWork {
  readonly manifest: Manifest;
  readonly workFolder: string;
}

async function assembleFolder(
  options: RestoreOptions,
  { manifest, workFolder }: RestoreWork,
): Promise<RestoredDocument[]> {
  const { target, clock, withWebhooks = true, onDocument } = options;
  const home = join(workFolder, "home.sqlite");
  await fetchBlob(target, manifest.home, { to: home, description: "the home database" });
  const listed = prepareRestoredHome(home, {
    nowMs: clock.now(),
    withWebhooks,
    source: { backup: manifest.createdAt },
  });
  const names = new Map(listed.map(({ uuid, name }) => [uuid, name]));
  const documents: RestoredDocument[] = [];
  for (const entry of manifest.documents) {
    const file = await restoreDocument(options, entry, workFolder);
    const { uuid } = entry;
    const document = { uuid, name: names.get(uuid) ?? "", problems: checkFile(file).problems };
    documents.push(document);
    onDocument?.(document);
  }
  return documents;
}

/** Restores a document and returns the path of its file. */
async function restoreDocument(options: RestoreOptions, entry: DocumentEntry, work: string): Promise<string> {
  const { target } = options;
  const folder = join(work, "docs", entry.uuid);
  await mkdir(folder, { mode: 0o700 });
  const file = join(folder, "document.grist");
  await fetchBlob(target, entry.blob, { to: file, description: `document ${entry.uuid}` });
  if (entry.attachments.length > 0) {
    const contents = join(folder, "attachments");
    await mkdir(contents, { mode: 0o700 });
    for (const { ident, blob } of entry.attachments) {
      const to = join(contents, encodeURIComponent(ident));
      await fetchBlob(target, blob, { to, description: `an attachment of document ${entry.uuid}` });
    }
    await fsyncPath(contents);
  }
  await restoreSnapshots(options, entry, work);
  await fsyncPath(folder);
  return file;
}

/** Restores snapshots, which stay compressed. */
async function restoreSnapshots(
  { target, clock }: RestoreOptions,
  { uuid, snapshots }: DocumentEntry,
  work: string,
): Promise<void> {
  const restored = new SnapshotStore({ folder: work, keep: snapshots.length, clock });
  for (const { id, blob, contents } of snapshots) {
    await restored.put(uuid, id, async (part) => {
      const source = await openBlob(target, blob);
      await writeNewFile(part, (file) => pipeline(source, file));
      await withDescription(`a snapshot of document ${uuid}`, () => verifyCompressed(createReadStream(part), blob));
      return { ...blob, contents };
    });
  }
}

async function fetchBlob(
  target: BackupTarget,
  blob: Blob,
  { to, description }: { to: string; description: string },
): Promise<void> {
  const stream = await openBlob(target, blob);
  await withDescription(description, () => decompressToFile(stream, to, blob));
}

async function openBlob(target: BackupTarget, { sha256 }: Blob): Promise<Readable> {
  const stream = await target.read(blobKey(sha256));
  if (!stream) throw new AppError("damaged", `the content ${sha256} is missing`);
  return stream;
}

/** Adds the description of the content to a checksum error. */
async function withDescription(description: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "damaged") throw error;
    throw new AppError("damaged", `${description}: ${error.message}`, { cause: error });
  }
}

function asRefusal(error: unknown, name: string): unknown {
  if (!(error instanceof AppError) || error.code !== "damaged") return error;
  return new AppError("damaged", `the backup ${name} is damaged: ${error.message}`, { cause: error });
}

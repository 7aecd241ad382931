import { join } from "node:path";
import { AppError } from "../errors.ts";
import { FOLDER_STORE } from "../files/folder-store.ts";
import { isIdent } from "../files/attachment-store.ts";
import { createReadStream, existsSync } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { randomHex } from "../lib/ids.ts";
import { listStoredContentsInFile, type StoredContent } from "../hosts/files/stored-contents.ts";
import { type DocumentSnapshot, readDocument, msUntilStable } from "./read-document.ts";
import { fileState } from "./file-state.ts";
import type { Blob, DocumentEntry } from "./manifest.ts";
import type { BlobStore } from "./blob-store.ts";
import { newSnapshotId, type SnapshotStore } from "./snapshots.ts";
import { verifyCompressed } from "./compression.ts";

export interface DocumentBackupOptions {
  /** The data folder. */
  readonly folder: string;
  readonly pool: BlobStore;
  readonly temporaryFolder: string;
  readonly snapshots: SnapshotStore;
  /** The documents of the previous backup, by UUID. */
  readonly previousEntries: ReadonlyMap<string, DocumentEntry>;
  /** Called with a sentence for each problem. */
  readonly reportProblem: (uuid: string, problem: string) => void;
  /** Where attachments are in log mode; null if they are beside the documents. */
  readonly loggedContents: LoggedContentsReader | null;
  /** Where documents are in a cluster, whose data folders may be behind; null if the data folder has them. */
  readonly loggedDocuments: LoggedDocumentsReader | null;
}

/** Reads documents of a cluster. */
export interface LoggedDocumentsReader {
  /** Identifies the newest content; null if the log does not have the document. */
  version(uuid: string): Promise<string | null>;
  /** Adds a snapshot of a version. */
  markSnapshot(uuid: string, version: string, mark: { id: string; atMs: number; keep: number }): Promise<void>;
  /** Writes the newest content to a new file, and returns its version; null if the log does not have the document. */
  fetch(uuid: string, path: string): Promise<string | null>;
}

/** Reads attachments that are not in a folder beside their document. */
export interface LoggedContentsReader {
  /** Writes a content to a file. Returns false if it does not exist. */
  fetch(uuid: string, ident: string, path: string): Promise<boolean>;
}

/** After this time the server has finished compressing a replaced file, or has stopped. */
const PENDING_SNAPSHOT_AGE_MS = 10 * 60_000;

/** Maximum number of attempts for a document whose attachments are removed while it is read. */
const MAX_ATTEMPTS = 3;

/** Stores documents in a backup target, each with its attachments and snapshots. */
export class DocumentBackup {
  readonly #options: DocumentBackupOptions;
  /** Number of documents that have not changed since the previous backup. */
  unchanged = 0;

  constructor(options: DocumentBackupOptions) {
    this.#options = options;
  }

  async exists(uuid: string): Promise<boolean> {
    const { loggedDocuments } = this.#options;
    return loggedDocuments ? (await loggedDocuments.version(uuid)) !== null : existsSync(this.#fileOf(uuid));
  }

  /** Returns how long to wait until changes to the document's file can be detected reliably. */
  msUntilStable(uuid: string): number {
    const file = this.#fileOf(uuid);
    return this.#options.loggedDocuments === null && existsSync(file) ? msUntilStable(file) : 0;
  }

  /**
   * Stores the current version of a document. Skips reading if its file has not changed since the previous backup.
   * @throws AppError `damaged` when it cannot be read; a system error when it does not exist
   */
  async store(uuid: string): Promise<DocumentEntry> {
    const { previousEntries } = this.#options;
    const previous = previousEntries.get(uuid);
    if (previous && (await this.#isUnchanged(uuid, previous))) {
      this.unchanged++;
      return { ...previous, snapshots: await this.#storeSnapshots(uuid) };
    }
    for (let attempt = 1; ; attempt++) {
      const read = await this.#read(uuid);
      const { attachments, missing } = await this.#storeContents(uuid, read.contents);
      // Contents that were removed in the meantime are no longer referenced on the next attempt.
      if (missing.length > 0 && attempt < MAX_ATTEMPTS) continue;
      for (const ident of missing)
        this.#options.reportProblem(uuid, `the content of the attachment ${ident} is missing`);
      const inBuckets = read.contents.filter(({ storageId }) => storageId !== FOLDER_STORE).length;
      const snapshots = await this.#storeSnapshots(uuid);
      return { uuid, blob: read.blob, source: read.source, attachments, snapshots, elsewhere: inBuckets };
    }
  }

  async #isUnchanged(uuid: string, previous: DocumentEntry): Promise<boolean> {
    const { pool, loggedDocuments } = this.#options;
    if (loggedDocuments && previous.source !== (await loggedDocuments.version(uuid))) return false;
    const areStored = [previous.blob, ...previous.attachments.map(({ blob }) => blob)].every((blob) => pool.has(blob));
    if (loggedDocuments) return areStored;
    const { signature, isWhole } = fileState(this.#fileOf(uuid));
    return isWhole && previous.source === signature && areStored;
  }

  /** Adds a snapshot if the document has changed since the newest one. */
  #read(uuid: string): Promise<DocumentSnapshot> {
    const { pool, temporaryFolder, snapshots, reportProblem, loggedDocuments } = this.#options;
    if (loggedDocuments) return this.#readLogged(uuid, loggedDocuments);
    const atMs = Date.now();
    return readDocument(this.#fileOf(uuid), {
      pool,
      temporaryFolder,
      async onCompressed(file, packed, contents) {
        try {
          await snapshots.add(uuid, { file, atMs }, { ...packed, contents });
        } catch (error) {
          // The document may just have been deleted; and a backup without a new snapshot is better than none.
          if (!isMissing(error)) reportProblem(uuid, `no snapshot of it could be made: ${(error as Error).message}`);
        }
      },
    });
  }

  async #readLogged(uuid: string, logged: LoggedDocumentsReader): Promise<DocumentSnapshot> {
    const { pool, temporaryFolder, snapshots, reportProblem } = this.#options;
    const copy = join(temporaryFolder, `backup-${randomHex(8)}.grist`);
    try {
      const source = await logged.fetch(uuid, copy);
      if (source === null) throw new AppError("unavailable", "the log does not have it");
      const { keep } = snapshots;
      const atMs = Date.now();
      if (keep > 0) {
        await logged.markSnapshot(uuid, source, { id: newSnapshotId(atMs), atMs, keep }).catch((error: unknown) => {
          reportProblem(uuid, `no snapshot of it could be made: ${(error as Error).message}`);
        });
      }
      return { blob: await pool.store(copy), source, contents: listStoredContentsInFile(copy) };
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Stores the contents in the document's attachment folder, or in the log. */
  async #storeContents(
    uuid: string,
    contents: readonly StoredContent[],
  ): Promise<{ attachments: DocumentEntry["attachments"]; missing: string[] }> {
    const { pool, previousEntries, snapshots } = this.#options;
    const known = new Map(previousEntries.get(uuid)?.attachments.map(({ ident, blob }) => [ident, blob]));
    const attachments: DocumentEntry["attachments"] = [];
    const missing: string[] = [];
    const needed = new Set(identsOf(contents));
    const all = new Set([...needed, ...identsOf(await snapshots.contents(uuid))]);
    for (const ident of all) {
      // Contents are immutable: the same ident always has the same bytes.
      const found = known.get(ident);
      const blob = found && pool.has(found) ? found : await this.#storeContent(uuid, ident);
      if (blob) attachments.push({ ident, blob });
      else if (needed.has(ident)) missing.push(ident);
    }
    return { attachments, missing };
  }

  async #storeContent(uuid: string, ident: string): Promise<Blob | null> {
    const { pool, loggedContents, temporaryFolder } = this.#options;
    if (loggedContents) {
      const copy = join(temporaryFolder, `backup-${randomHex(8)}.content`);
      try {
        return (await loggedContents.fetch(uuid, ident, copy)) ? await pool.store(copy) : null;
      } finally {
        await rm(copy, { force: true });
      }
    }
    try {
      return await pool.store(join(this.#folderOf(uuid), "attachments", encodeURIComponent(ident)));
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async #storeSnapshots(uuid: string): Promise<DocumentEntry["snapshots"]> {
    const { snapshots, reportProblem } = this.#options;
    const stored: DocumentEntry["snapshots"] = [];
    try {
      await snapshots.compressPending(uuid, { olderThanMs: PENDING_SNAPSHOT_AGE_MS });
    } catch (error) {
      if (!isMissing(error))
        reportProblem(uuid, `a snapshot of it could not be compressed: ${(error as Error).message}`);
    }
    for (const { id } of await snapshots.list(uuid)) {
      try {
        const metadata = await snapshots.find(uuid, id);
        if (!metadata) continue;
        const blob = await this.#storeSnapshot(snapshots.fileOf(uuid, id), metadata);
        stored.push({ id, blob, contents: [...metadata.contents] });
      } catch (error) {
        // The server removes excess snapshots concurrently.
        if (!isMissing(error)) reportProblem(uuid, `its snapshot ${id} cannot be read: ${(error as Error).message}`);
      }
    }
    return stored;
  }

  /** Stores a snapshot; most already exist from the backups they were created with. */
  async #storeSnapshot(file: string, packed: Blob): Promise<Blob> {
    const { pool, temporaryFolder } = this.#options;
    const { sha256, sizeBytes, packedBytes } = packed;
    const found = pool.find(sha256, sizeBytes);
    if (found) return found;
    const copy = join(temporaryFolder, `backup-${randomHex(8)}.zst`);
    try {
      await copyFile(file, copy);
      await verifyCompressed(createReadStream(copy), packed);
      return await pool.storeCompressed(copy, { sha256, sizeBytes, packedBytes });
    } finally {
      await rm(copy, { force: true });
    }
  }

  #folderOf(uuid: string): string {
    return join(this.#options.folder, "docs", uuid);
  }

  #fileOf(uuid: string): string {
    return join(this.#folderOf(uuid), "document.grist");
  }
}

const identsOf = (contents: readonly StoredContent[]): string[] =>
  contents.filter(({ ident, storageId }) => storageId === FOLDER_STORE && isIdent(ident)).map(({ ident }) => ident);

const isMissing = (error: unknown): boolean => {
  const cause = error instanceof AppError ? error.cause : error;
  return (cause as { code?: unknown } | null)?.code === "ENOENT";
};

/**
 * Reading documents' files for a backup, in a process that has none of them open: reading an open one by other means
 * than SQLite would drop SQLite's locks on it.
 */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { listStoredContentsInFile, type StoredContent } from "../hosts/stored-contents.ts";
import { randomHex } from "../lib/ids.ts";
import { vacuumInto } from "../sqlite/vacuum.ts";
import { fileState, openSignature } from "./file-state.ts";
import type { Blob } from "./manifest.ts";
import type { BlobStore } from "./blob-store.ts";
import type { CompressedFile } from "./compression.ts";

/** A document's file as it was at one moment. */
export interface DocumentSnapshot {
  readonly blob: Blob;
  /** By which it is known to be unchanged later on; null when it was being written to. */
  readonly source: string | null;
  /** The contents of attachments that it refers to in stores. */
  readonly contents: readonly StoredContent[];
}

export interface ReadDocumentOptions {
  readonly pool: BlobStore;
  /** For copies. */
  readonly temporaryFolder: string;
  /** Gets the compressed file before it is stored. */
  readonly onCompressed: (
    file: string,
    compressed: CompressedFile,
    contents: readonly StoredContent[],
  ) => Promise<void>;
}

/** Clocks of disks are coarse: of what was written within this time of a look nobody knows whether it was before. */
const TIMESTAMP_GRANULARITY_MS = 1000;

/** How long until it can be told whether the file is being written to; 0 when it can. */
export function msUntilStable(path: string): number {
  const { isClosed, changedMs } = fileState(path);
  const ageMs = Date.now() - changedMs;
  return isClosed && ageMs >= 0 && ageMs < TIMESTAMP_GRANULARITY_MS ? TIMESTAMP_GRANULARITY_MS - ageMs : 0;
}

/**
 * Stores a document's file as it is at one moment. Programs that work with it are not kept waiting.
 * @throws AppError `damaged` when it cannot be read; the error of the system when there is none
 */
export async function readDocument(path: string, options: ReadDocumentOptions): Promise<DocumentSnapshot> {
  const state = fileState(path);
  if (state.isClosed && Date.now() - state.changedMs >= TIMESTAMP_GRANULARITY_MS) {
    const read = await readClosed(path, state.signature, options);
    if (read) return read;
  }
  return readOpen(path, options);
}

/** The bytes as they are, without any lock; undefined when somebody began to work with the file meanwhile. */
async function readClosed(
  path: string,
  signature: string,
  options: ReadDocumentOptions,
): Promise<DocumentSnapshot | undefined> {
  const contents = listStoredContentsInFile(path);
  const opened = await open(path, "r");
  const isUnchanged = () => {
    const state = fileState(path);
    return state.isClosed && state.signature === signature && openSignature(opened.fd) === signature;
  };
  try {
    const blob = await options.pool.store(opened, async (file, packed) => {
      if (!isUnchanged()) throw new FileChangedError();
      await options.onCompressed(file, packed, contents);
    });
    return { blob, source: signature, contents };
  } catch (error) {
    if (error instanceof FileChangedError) return undefined;
    throw error;
  } finally {
    await opened.close();
  }
}

class FileChangedError extends Error {}

/** By SQLite, which gives one moment's state while others write. */
async function readOpen(
  path: string,
  { pool, temporaryFolder, onCompressed }: ReadDocumentOptions,
): Promise<DocumentSnapshot> {
  const copy = join(temporaryFolder, `backup-${randomHex(8)}.grist`);
  try {
    vacuumInto(path, copy);
    const contents = listStoredContentsInFile(copy);
    const blob = await pool.store(copy, (file, packed) => onCompressed(file, packed, contents));
    return { blob, source: null, contents };
  } finally {
    await rm(copy, { force: true });
    await rm(`${copy}-journal`, { force: true });
  }
}

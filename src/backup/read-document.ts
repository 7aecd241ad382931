/**
 * Reads documents' files for a backup, in a process that has none of them open: reading an open file by other means
 * than SQLite would drop SQLite's POSIX locks on it.
 */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { listStoredContentsInFile, type StoredContent } from "../hosts/files/stored-contents.ts";
import { randomHex } from "../lib/ids.ts";
import { vacuumInto } from "../sqlite/vacuum.ts";
import { fileState, openSignature } from "./file-state.ts";
import type { Blob } from "./manifest.ts";
import type { BlobStore } from "./blob-store.ts";
import type { CompressedFile } from "./compression.ts";

/** A snapshot of a document's file. */
export interface DocumentSnapshot {
  readonly blob: Blob;
  /** Signature that detects later changes; null when it was being written to. */
  readonly source: string | null;
  /** The attachment contents that it references in stores. */
  readonly contents: readonly StoredContent[];
}

export interface ReadDocumentOptions {
  readonly pool: BlobStore;
  /** For copies. */
  readonly temporaryFolder: string;
  /** Receives the compressed file before it is stored. */
  readonly onCompressed: (
    file: string,
    compressed: CompressedFile,
    contents: readonly StoredContent[],
  ) => Promise<void>;
}

/** File timestamps are coarse: a write within this time of a check may go undetected. */
const TIMESTAMP_GRANULARITY_MS = 1000;

/** Returns how long to wait until concurrent writes to the file can be detected; 0 when they already can. */
export function msUntilStable(path: string): number {
  const { isWhole, changedMs } = fileState(path);
  const ageMs = Date.now() - changedMs;
  return isWhole && ageMs >= 0 && ageMs < TIMESTAMP_GRANULARITY_MS ? TIMESTAMP_GRANULARITY_MS - ageMs : 0;
}

/**
 * Stores a snapshot of a document's file, without blocking programs that use it.
 * @throws AppError `damaged` when it cannot be read; a system error when it does not exist
 */
export async function readDocument(path: string, options: ReadDocumentOptions): Promise<DocumentSnapshot> {
  const state = fileState(path);
  if (state.isWhole && Date.now() - state.changedMs >= TIMESTAMP_GRANULARITY_MS) {
    const read = await readClosed(path, state.signature, options);
    if (read) return read;
  }
  return readOpen(path, options);
}

/** Reads the bytes without a lock; returns undefined when another program opened the file in the meantime. */
async function readClosed(
  path: string,
  signature: string,
  options: ReadDocumentOptions,
): Promise<DocumentSnapshot | undefined> {
  const contents = listStoredContentsInFile(path);
  const opened = await open(path, "r");
  const isUnchanged = () => {
    const state = fileState(path);
    return state.isWhole && state.signature === signature && openSignature(opened.fd) === signature;
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

/** Copies the file with SQLite, which gives a consistent snapshot during concurrent writes. */
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

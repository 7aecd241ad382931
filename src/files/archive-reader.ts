import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createTarDecoder } from "modern-tar";
import { openPromise } from "yauzl";
import { AppError } from "../errors.ts";
import { newUuid } from "../lib/ids.ts";
import type { ArchiveFormat } from "./archive-writer.ts";
import { storageError, isStorageFailure, writeStreamToFile, type WrittenFile } from "./write-file.ts";

export interface ReadArchiveOptions {
  readonly format: ArchiveFormat;
  /** Folder of temporary files. */
  readonly folder: string;
  /** Maximum size of an extracted file. */
  readonly maxFileBytes: number;
  /** Returns true for the names of files to extract. */
  accepts(name: string): boolean;
  /**
   * Receives each extracted file; null for one that is unreadable or too large. The file is deleted when the promise
   * settles.
   */
  onFile(name: string, file: WrittenFile | null): Promise<void>;
  /** Receives the names of all other files. */
  onSkipped(name: string): void;
}

/** Maximum number of files per archive: processing each entry costs time. */
const MAX_ENTRIES = 100_000;

/**
 * Reads an archive on disk as a stream, one file at a time.
 * @throws AppError `invalid` if it is malformed or truncated
 */
export async function readArchive(path: string, options: ReadArchiveOptions): Promise<void> {
  let entries = 0;
  const extract: ExtractEntry = async (name, open) => {
    if (++entries > MAX_ENTRIES) throw new AppError("limit.exceeded", "The archive has too many files");
    if (options.accepts(name)) await extractFile(name, open, options);
    else options.onSkipped(name);
  };
  try {
    if (options.format === "zip") await readZip(path, extract);
    else await readTar(path, extract);
  } catch (error) {
    if (error instanceof AppError) throw error;
    if (isStorageFailure(error)) throw storageError(error);
    throw new AppError("file.invalid", "The archive is malformed or ends early");
  }
}

type OpenEntry = () => Promise<Readable>;
type ExtractEntry = (name: string, open: OpenEntry) => Promise<void>;

async function readTar(path: string, extract: ExtractEntry): Promise<void> {
  const decoder = createTarDecoder({ strict: true });
  const decoded = Bun.file(path).stream().pipeThrough(decoder);
  for await (const { header, body } of decoded) {
    if (header.type === undefined || header.type === "file") await extract(header.name, async () => fromWeb(body));
    // An unread entry has to be skipped before the next one arrives.
    if (!body.locked) await body.cancel();
  }
}

async function readZip(path: string, extract: ExtractEntry): Promise<void> {
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith("/")) await extract(entry.fileName, () => zip.openReadStreamPromise(entry));
    }
  } finally {
    zip.close();
  }
}

async function extractFile(
  name: string,
  open: OpenEntry,
  { folder, maxFileBytes, onFile }: ReadArchiveOptions,
): Promise<void> {
  const path = join(folder, `archive-${newUuid()}`);
  try {
    await onFile(name, await writeEntry(open, path, maxFileBytes));
  } finally {
    await rm(path, { force: true });
  }
}

/** Extracts an entry; returns null if its content is broken or too large. Throws errors of the disk. */
async function writeEntry(open: OpenEntry, path: string, maxBytes: number): Promise<WrittenFile | null> {
  try {
    return await writeStreamToFile(await open(), path, maxBytes);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return null;
  }
}

/** Node's streams accept web streams, but their type declarations differ in the reader's methods. */
const fromWeb = (stream: ReadableStream<Uint8Array>): Readable =>
  Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);

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
  /** Where files are put while they are looked at. */
  readonly folder: string;
  /** The largest file that is taken out. */
  readonly maxFileBytes: number;
  /** True for the names of files that are worth taking out. */
  accepts(name: string): boolean;
  /** Gets each file that was wanted; null for one that cannot be read, or is too large. It is gone afterwards. */
  onFile(name: string, file: WrittenFile | null): Promise<void>;
  /** Gets the names of all others. */
  onSkipped(name: string): void;
}

/** How many files an archive may have: looking at each costs something, whoever sends it. */
const MAX_ENTRIES = 100_000;

/**
 * Goes through an archive on disk, one file after the other: of each that is wanted, little is in memory.
 * @throws AppError `invalid` when it is no such archive or breaks off
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
    // What was not read has to be passed over before the next one comes.
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

/** Null when the content is broken or too large; what is wrong with the disk is thrown. */
async function writeEntry(open: OpenEntry, path: string, maxBytes: number): Promise<WrittenFile | null> {
  try {
    return await writeStreamToFile(await open(), path, maxBytes);
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    return null;
  }
}

/** Node's streams take the web's, but their types differ in what a reader may ask for. */
const fromWeb = (stream: ReadableStream<Uint8Array>): Readable =>
  Readable.fromWeb(stream as Parameters<typeof Readable.fromWeb>[0]);

import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../errors.ts";
import { writeNewFile } from "./new-file.ts";

/** A file that was written to disk from a stream. */
export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** SHA-1 of its content, in lower-case hex. */
  readonly sha1: string;
}

/**
 * Writes a stream to a new file. Leaves a partial file after a failure.
 * @throws AppError `tooLarge`; any error of the stream or the disk
 */
export async function writeStreamToFile(source: Readable, path: string, maxBytes: number): Promise<WrittenFile> {
  const hash = new Bun.CryptoHasher("sha1");
  let sizeBytes = 0;
  const hashChunks = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) throw tooLarge("file", maxBytes);
      hash.update(chunk);
      yield chunk;
    }
  };
  await writeNewFile(path, (file) => pipeline(source, hashChunks, file));
  return { path, sizeBytes, sha1: hash.digest("hex") };
}

/** Returns the error for a body of more than `limit` bytes. */
export const tooLarge = (what: "upload" | "file", limit: number): AppError =>
  new AppError("limit.upload_size", `The ${what} exceeds the maximum size of ${limit} bytes`);

/** Converts an error of a full or failing disk to an AppError. */
export const storageError = (cause: unknown): AppError =>
  new AppError("storage", "The file cannot be stored: the disk is full or read-only", { cause });

/** Returns true for errors of a full or failing disk, which are independent of the written data. */
export const isStorageFailure = (error: unknown): boolean =>
  /^(ENOSPC|EIO|EDQUOT|EROFS|EACCES|ENOENT|EMFILE)$/.test(String((error as { code?: unknown } | null)?.code));

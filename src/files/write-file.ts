import { createWriteStream } from "node:fs";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AppError } from "../errors.ts";

/** A file that was written to disk as it came. */
export interface WrittenFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Of its content, in lower-case hex. */
  readonly sha1: string;
}

/**
 * Writes a stream to a new file, little of it in memory at a time. What is left of it after a failure stays there.
 * @throws AppError `tooLarge`; whatever the stream or the disk throws
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
  await pipeline(source, hashChunks, createWriteStream(path, { flags: "wx", mode: 0o600 }));
  return { path, sizeBytes, sha1: hash.digest("hex") };
}

/** The refusal of what has more than `limit` bytes. */
export const tooLarge = (what: "upload" | "file", limit: number): AppError =>
  new AppError("limit.upload_size", `The ${what} is larger than the ${limit} bytes this server takes`);

/** What a full or failing disk throws, as a refusal. */
export const storageError = (cause: unknown): AppError =>
  new AppError("storage", "The file cannot be kept: the disk is full or cannot be written to", { cause });

/** True for what a full or failing disk throws: no fault of what was to be written. */
export const isStorageFailure = (error: unknown): boolean =>
  /^(ENOSPC|EIO|EDQUOT|EROFS|EACCES|ENOENT|EMFILE)$/.test(String((error as { code?: unknown } | null)?.code));

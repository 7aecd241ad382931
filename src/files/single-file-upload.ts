import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { AppError } from "../errors.ts";
import { temporaryName } from "../lib/temporary-names.ts";
import type { Upload, UploadedFile, UploadLimits } from "./uploads.ts";
import { isStorageFailure, storageError, tooLarge, writeStreamToFile } from "./write-file.ts";

/** A file that arrives without a form. */
export interface IncomingFile extends Pick<UploadedFile, "name" | "type"> {
  /** The announced size; null if unknown. */
  readonly sizeBytes: number | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/**
 * Writes a file to disk like the file of a form's field `upload`.
 * @throws AppError `tooLarge`, `storage`, and errors of the chunks; leaves no file
 */
export async function receiveSingleFile(
  { name, type, sizeBytes, chunks }: IncomingFile,
  { folder, maxBytes, space }: UploadLimits,
): Promise<Upload> {
  if (sizeBytes !== null && sizeBytes > maxBytes) throw tooLarge("file", maxBytes);
  using job = space?.startJob(sizeBytes ?? 0);
  const path = join(folder, temporaryName("upload"));
  const remove = () => rm(path, { force: true });
  const checked = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      job?.signal.throwIfAborted();
      yield chunk;
    }
  };
  try {
    const written = await writeStreamToFile(Readable.from(checked()), path, maxBytes);
    job?.check();
    return { fields: {}, files: [{ field: "upload", name, type, ...written }], [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    if (!(error instanceof AppError) && isStorageFailure(error)) throw storageError(error);
    throw error;
  }
}

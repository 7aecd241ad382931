import { open, rm, stat } from "node:fs/promises";
import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError, invalidFile } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";
import { fileChunks } from "./file-chunks.ts";

/** Maximum compression ratio: tables rarely exceed 50, decompression bombs reach 1,000. */
const MAX_RATIO = 200;

/**
 * Unpacks a gzip file to a new file as a stream. Leaves no file at `to` if it throws.
 * @throws AppError `invalid` for a damaged file, a wrong checksum, or trailing data; `tooLarge` beyond `maxBytes` or
 * `MAX_RATIO`
 */
export async function gunzipFile(from: string, to: string, limits: { maxBytes: number }): Promise<void> {
  try {
    await unpack(from, to, limits);
  } catch (error) {
    await rm(to, { force: true });
    throw isGzipError(error) ? damagedFile(error) : error;
  }
}

async function unpack(from: string, to: string, { maxBytes }: { maxBytes: number }): Promise<void> {
  const { size } = await stat(from);
  await using file = await open(to, "wx", 0o600);
  const chunks = fileChunks(from);
  const gunzip = createGunzip();
  // The loop below receives errors only while it awaits the next chunk; without a listener, others would crash the
  // thread.
  gunzip.on(
    "error",
    guarded(() => undefined),
  );
  Readable.from(chunks)
    .on(
      "error",
      guarded((error) => gunzip.destroy(error)),
    )
    .pipe(gunzip);
  let bytes = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw fileTooLarge(`${maxBytes} bytes`);
      if (bytes > size * MAX_RATIO) throw fileTooLarge(`${MAX_RATIO} times its size`);
      await file.writeFile(chunk);
    }
  } finally {
    gunzip.destroy();
    await chunks.return();
  }
  // zlib silently ignores zeros after the end; reject them like any other trailing data.
  if (gunzip.bytesWritten < size) throw invalidFile("The gzip file has trailing data");
}

const isGzipError = (error: unknown): boolean => String((error as { code?: unknown } | null)?.code).startsWith("Z_");

const fileTooLarge = (what: string) => new AppError("limit.upload_size", `The gzip file unpacks to more than ${what}`);

const damagedFile = (cause: unknown) =>
  new AppError("file.invalid", "The gzip file is damaged or incomplete. Compress it again.", { cause });

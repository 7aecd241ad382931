/** Compressed files: streamed, with a few megabytes in memory at a time. */
import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { AppError } from "../errors.ts";
import { writeNewFile } from "../files/new-file.ts";
import { guarded } from "../lib/callbacks.ts";

/** The content of a compressed file, and its sizes. */
export interface CompressedFile {
  /** Of the uncompressed content, in lower-case hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly packedBytes: number;
}

/**
 * For documents, level 3 compresses as well as level 6 in half the time; gzip takes twice as long for larger results.
 */
const COMPRESSION_LEVEL = 3;
const CHUNK_BYTES = 1024 ** 2;
const DECOMPRESSED_BYTES = 256 * 1024;

/**
 * Compresses a file into a new one and syncs it to disk. The caller removes the partial file after a failure.
 * @param from its path, or a handle that stays open
 */
export async function compressFile(from: string | FileHandle, to: string): Promise<CompressedFile> {
  const read = new Digest();
  const written = new Digest();
  await writeNewFile(to, (file) =>
    pipeline(
      typeof from === "string" ? createReadStream(from, { highWaterMark: CHUNK_BYTES }) : chunksOf(from),
      (chunks: AsyncIterable<Uint8Array>) => read.pass(chunks),
      createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } }),
      (chunks: AsyncIterable<Uint8Array>) => written.count(chunks),
      file,
    ),
  );
  await fsyncPath(to);
  return { sha256: read.hex(), sizeBytes: read.sizeBytes, packedBytes: written.sizeBytes };
}

/** Reads a file without closing it: a stream would close it on failure. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** The expected content. */
export type ExpectedContent = Pick<CompressedFile, "sha256" | "sizeBytes">;

/**
 * Decompresses a stream to a new file and syncs it to disk.
 * @throws AppError `damaged` when the content does not match
 */
export async function decompressToFile(source: Readable, to: string, expected: ExpectedContent): Promise<void> {
  await writeNewFile(to, (file) => decompressInto(source, file, expected));
  await fsyncPath(to);
}

/**
 * Reads a compressed stream to its end.
 * @throws AppError `damaged` when the content does not match
 */
export async function verifyCompressed(source: Readable, expected: ExpectedContent): Promise<void> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  await decompressInto(source, discard, expected);
}

/** Syncs a file, or the names in a folder, to disk. */
export async function fsyncPath(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function decompressInto(source: Readable, to: Writable, expected: ExpectedContent): Promise<void> {
  const digest = new Digest(expected.sizeBytes);
  const decompress = createZstdDecompress({ chunkSize: DECOMPRESSED_BYTES });
  // The pipeline may only report an abort, which malformed data can cause in several ways.
  let failure: unknown;
  const recordFailure = guarded((error: unknown) => void (failure ??= error));
  for (const end of [source, to]) end.once("error", recordFailure);
  try {
    await pipeline(source, decompress, (chunks: AsyncIterable<Uint8Array>) => digest.pass(chunks), to);
  } catch (error) {
    const { code } = (failure ?? error) as { code?: unknown };
    throw isZstdError(error) || code === "ABORT_ERR" ? checksumMismatch(error) : (failure ?? error);
  }
  if (digest.sizeBytes !== expected.sizeBytes || digest.hex() !== expected.sha256) throw checksumMismatch();
}

class Digest {
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #maxBytes: number;
  sizeBytes = 0;

  /** @param maxBytes aborts above the expected size: a few bytes may decompress to terabytes */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.sizeBytes += chunk.length;
      if (this.sizeBytes > this.#maxBytes) throw checksumMismatch();
      this.#hash.update(chunk);
      yield chunk;
    }
  }

  async *count(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.sizeBytes += chunk.length;
      yield chunk;
    }
  }

  hex(): string {
    return this.#hash.digest("hex");
  }
}

/** Format errors have their own codes; other errors come from the disk or the network. */
const isZstdError = (error: unknown): boolean =>
  /^(ZSTD_|ERR_ZSTD|Z_)/.test(String((error as { code?: unknown } | null)?.code));

const checksumMismatch = (cause?: unknown): AppError =>
  new AppError("damaged", "checksum mismatch", cause === undefined ? {} : { cause });

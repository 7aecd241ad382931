/** Files in compressed form: streamed, a few megabytes of them in memory at a time. */
import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { type Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { AppError } from "../errors.ts";
import { guarded } from "../lib/callbacks.ts";

/** What a file held, and how large it is in compressed form. */
export interface CompressedFile {
  /** Of the content as it was, in lower-case hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly packedBytes: number;
}

/** Of documents, level 3 leaves as little as level 6, in half the time; gzip takes twice as long for more. */
const COMPRESSION_LEVEL = 3;
const CHUNK_BYTES = 1024 ** 2;
const DECOMPRESSED_BYTES = 256 * 1024;

/**
 * Compresses a file into a new one, which is on the disk when this ends. What is left of it after a failure is for the
 * caller to remove.
 * @param from its path, or a handle that stays open
 */
export async function compressFile(from: string | FileHandle, to: string): Promise<CompressedFile> {
  const read = new Digest();
  const written = new Digest();
  await pipeline(
    typeof from === "string" ? createReadStream(from, { highWaterMark: CHUNK_BYTES }) : chunksOf(from),
    (chunks: AsyncIterable<Uint8Array>) => read.pass(chunks),
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: COMPRESSION_LEVEL } }),
    (chunks: AsyncIterable<Uint8Array>) => written.count(chunks),
    createWriteStream(to, { flags: "wx", mode: 0o600 }),
  );
  await fsyncPath(to);
  return { sha256: read.hex(), sizeBytes: read.sizeBytes, packedBytes: written.sizeBytes };
}

/** What a file holds, without closing it: a stream would do so when it fails. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** What a content has to be. */
export type ExpectedContent = Pick<CompressedFile, "sha256" | "sizeBytes">;

/**
 * Writes what a compressed stream holds to a new file, which is on the disk when this ends.
 * @throws AppError `damaged` when it is not what it has to be
 */
export async function decompressToFile(source: Readable, to: string, expected: ExpectedContent): Promise<void> {
  await decompressInto(source, createWriteStream(to, { flags: "wx", mode: 0o600 }), expected);
  await fsyncPath(to);
}

/**
 * Reads a compressed stream to its end.
 * @throws AppError `damaged` when it does not hold what it has to
 */
export async function verifyCompressed(source: Readable, expected: ExpectedContent): Promise<void> {
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  await decompressInto(source, discard, expected);
}

/** What was written to a file, and new names in a folder, survive a power cut only after this. */
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
  // The pipeline may tell only that it broke off, which what is malformed makes it do in several ways.
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

  /** @param maxBytes beyond which it cannot be what is expected: a few bytes can stand for terabytes */
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

/** Errors of the format have a code of their own; those of the disk and of the network are somebody else's. */
const isZstdError = (error: unknown): boolean =>
  /^(ZSTD_|ERR_ZSTD|Z_)/.test(String((error as { code?: unknown } | null)?.code));

const checksumMismatch = (cause?: unknown): AppError =>
  new AppError("damaged", "its checksum is not what it was", cause === undefined ? {} : { cause });

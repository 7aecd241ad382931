/** Files in compressed form: streamed, a few megabytes of them in memory at a time. */
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import { AppError } from "../errors.ts";

/** What a file held, and how large it is in compressed form. */
export interface Packed {
  /** Of the content as it was, in lower-case hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly packedBytes: number;
}

/** Of documents, level 3 leaves as little as level 6, in half the time; gzip takes twice as long for more. */
const LEVEL = 3;
const CHUNK_BYTES = 1024 ** 2;

/**
 * Compresses a file into a new one, which is on the disk when this ends. Nothing is left of it after a failure but
 * what the caller removes.
 */
export async function packFile(from: string, to: string): Promise<Packed> {
  const read = new Digest();
  const written = new Digest();
  await pipeline(
    createReadStream(from, { highWaterMark: CHUNK_BYTES }),
    (chunks: AsyncIterable<Uint8Array>) => read.pass(chunks),
    createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL } }),
    (chunks: AsyncIterable<Uint8Array>) => written.count(chunks),
    createWriteStream(to, { flags: "wx", mode: 0o600 }),
  );
  await syncFile(to);
  return { sha256: read.hex(), sizeBytes: read.sizeBytes, packedBytes: written.sizeBytes };
}

/** What a content has to be. */
export type Expected = Pick<Packed, "sha256" | "sizeBytes">;

/**
 * Writes what a compressed stream holds to a new file, which is on the disk when this ends.
 * @throws AppError `damaged` when it is not what it has to be
 */
export async function unpackTo(source: Readable, to: string, expected: Expected): Promise<void> {
  const read = new Digest(expected.sizeBytes);
  try {
    await pipeline(
      source,
      createZstdDecompress(),
      (chunks: AsyncIterable<Uint8Array>) => read.pass(chunks),
      createWriteStream(to, { flags: "wx", mode: 0o600 }),
    );
  } catch (error) {
    throw isOfZstd(error) ? notWhatItWas(error) : error;
  }
  if (read.sizeBytes !== expected.sizeBytes || read.hex() !== expected.sha256) throw notWhatItWas();
  await syncFile(to);
}

/** What was written to a file, and new names in a folder, survive a power cut only after this. */
export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

class Digest {
  readonly #hash = new Bun.CryptoHasher("sha256");
  readonly #mostBytes: number;
  sizeBytes = 0;

  /** @param mostBytes beyond which it cannot be what is expected: a few bytes can stand for terabytes */
  constructor(mostBytes = Number.POSITIVE_INFINITY) {
    this.#mostBytes = mostBytes;
  }

  async *pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.sizeBytes += chunk.length;
      if (this.sizeBytes > this.#mostBytes) throw notWhatItWas();
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
const isOfZstd = (error: unknown): boolean =>
  /^(ZSTD_|ERR_ZSTD|Z_)/.test(String((error as { code?: unknown } | null)?.code));

const notWhatItWas = (cause?: unknown): AppError =>
  new AppError("damaged", "its checksum is not what it was", cause === undefined ? {} : { cause });

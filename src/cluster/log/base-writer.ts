import { createHash } from "node:crypto";
import { randomHex } from "../../lib/ids.ts";
import type { LogDatabase } from "../postgres/log-database.ts";
import { readBaseChunks, writeBaseChunk } from "../postgres/statements/bases.ts";
import type { ContentCount } from "../protocol/log-types.ts";

/** A file that does not change while it is copied into the log. */
export interface HeldDocumentFile {
  /** The commit whose content it has. */
  readonly count: ContentCount;
  /** Size in bytes. */
  readonly bytes: number;
  /** Reads it from the beginning. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** A base whose chunks are in the log, and were read back. Nothing points to it yet. */
export interface WrittenBase {
  /** Names the chunks; new for each attempt. */
  readonly ref: string;
  readonly seq: number;
  readonly contentEpoch: string;
  readonly sizeBytes: number;
  readonly chunks: number;
  readonly storedBytes: number;
  /** SHA-256 of the file. */
  readonly fileChecksum: Uint8Array;
}

const CHUNK_BYTES = 1024 ** 2;
const DEADLINE_MS = 60_000;

/**
 * Writes an image of a document's file in compressed chunks, and reads them back.
 * @throws AppError `log.unavailable`, ConnectionLostError, StatementError, or an Error if something else was read back
 */
export async function writeBase(database: LogDatabase, doc: string, held: HeldDocumentFile): Promise<WrittenBase> {
  const ref = randomHex(8);
  const hash = createHash("sha256");
  let chunks = 0;
  let sizeBytes = 0;
  let storedBytes = 0;
  const connection = await database.bulk();
  for await (const content of chunksOf(held.read())) {
    hash.update(content);
    const bytes = await Bun.zstdCompress(content, { level: 1 });
    await writeBaseChunk(connection, { doc, ref, chunk: chunks, bytes }, { deadlineMs: DEADLINE_MS });
    chunks++;
    sizeBytes += content.length;
    storedBytes += bytes.length;
  }
  if (sizeBytes !== held.bytes) throw new Error(`The file of ${doc} has another size than expected`);
  const fileChecksum = hash.digest();
  const readBack = createHash("sha256");
  for await (const chunk of readBaseChunks(connection, { doc, ref, chunks }, { deadlineMs: DEADLINE_MS })) {
    readBack.update(await Bun.zstdDecompress(chunk));
  }
  if (!readBack.digest().equals(fileChecksum)) throw new Error(`The base ${ref} of ${doc} was not stored as written`);
  const { seq, epoch: contentEpoch } = held.count;
  return { ref, seq, contentEpoch, sizeBytes, chunks, storedBytes, fileChecksum };
}

/** Splits a stream into chunks of 1 MB. */
async function* chunksOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let chunk = new Uint8Array(CHUNK_BYTES);
  let filled = 0;
  for await (const part of stream) {
    for (let read = 0; read < part.length;) {
      const count = Math.min(part.length - read, CHUNK_BYTES - filled);
      chunk.set(part.subarray(read, read + count), filled);
      filled += count;
      read += count;
      if (filled < CHUNK_BYTES) continue;
      yield chunk;
      chunk = new Uint8Array(CHUNK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

import { BLOB_CHUNK_BYTES, type BlobPart, type BlobRow } from "../postgres/statements/blobs.ts";
import type { ByteRange, ContentBytes } from "./content-types.ts";

/** Reads a part of a chunk; null if it does not exist. */
export type ReadPart = (part: Omit<BlobPart, "doc">) => Promise<Uint8Array<ArrayBuffer> | null>;

/**
 * Reads a content from its chunks, as a stream if it is longer than one of them. The first chunk is read at once: a
 * response that has begun cannot report an error.
 */
export async function readContent(
  readPart: ReadPart,
  { ref, sizeBytes }: Pick<BlobRow, "ref" | "sizeBytes">,
  range: ByteRange = { start: 0, end: sizeBytes },
): Promise<ContentBytes | null> {
  const parts = partsOf({ start: range.start, end: Math.min(range.end, sizeBytes) });
  const [first, ...rest] = parts;
  if (!first) return new Uint8Array(0);
  const bytes = await readPart({ ref, ...first });
  // Deleted concurrently.
  if (!bytes) return null;
  if (rest.length === 0) return bytes;
  let next = 0;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(bytes),
      async pull(controller) {
        const part = rest[next++];
        if (!part) return controller.close();
        const found = await readPart({ ref, ...part });
        if (!found) throw new Error(`chunk ${part.chunk} of the content ${ref} is missing`);
        controller.enqueue(found);
      },
    },
    { highWaterMark: 1 },
  );
}

/** Splits a range of a content by chunks. */
function partsOf({ start, end }: ByteRange): Omit<BlobPart, "doc" | "ref">[] {
  const parts: Omit<BlobPart, "doc" | "ref">[] = [];
  for (let at = start; at < end;) {
    const from = at % BLOB_CHUNK_BYTES;
    const length = Math.min(BLOB_CHUNK_BYTES - from, end - at);
    parts.push({ chunk: Math.floor(at / BLOB_CHUNK_BYTES), start: from, length });
    at += length;
  }
  return parts;
}

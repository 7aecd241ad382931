import { type FileHandle, open, rm } from "node:fs/promises";

/** Bytes per read. */
const CHUNK_BYTES = 262_144;

/**
 * Streams a temporary file. Unlinks it immediately, so that no file is left when the stream ends, is cancelled, or the
 * process exits.
 */
export async function streamAndDelete(path: string): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path, "r");
  try {
    await rm(path);
    return streamOf(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function streamOf(file: FileHandle): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES);
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await file.close();
        controller.close();
      },
      cancel: () => file.close(),
    },
    // No read-ahead before the consumer pulls.
    { highWaterMark: 0 },
  );
}

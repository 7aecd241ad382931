import { type FileHandle, open, rm } from "node:fs/promises";

/** How much is read in one go. */
const CHUNK_BYTES = 262_144;

/**
 * A temporary file as a stream of its bytes. Its name is taken away at once, so that nothing is left of it when the
 * stream ends, whether it was read to its end or given up; not even when the process ends.
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
    // Nothing is read ahead of whoever takes it.
    { highWaterMark: 0 },
  );
}

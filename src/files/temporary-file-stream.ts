import { type FileHandle, open, rm } from "node:fs/promises";
import type { TemporarySpace, UnlistedFiles } from "../lib/temporary-space.ts";

/** Bytes per read. */
const CHUNK_BYTES = 262_144;

/**
 * Streams a temporary file. Unlinks it immediately, so that no file is left when the stream ends, is cancelled, or the
 * process exits; until then, `space` counts it.
 */
export async function streamAndDelete(path: string, space: TemporarySpace): Promise<ReadableStream<Uint8Array>> {
  const file = await open(path, "r");
  const unlisted = space.addUnlisted();
  try {
    const { size } = await file.stat();
    await rm(path);
    unlisted.resize(size);
    return streamOf(file, unlisted);
  } catch (error) {
    unlisted[Symbol.dispose]();
    await file.close();
    throw error;
  }
}

function streamOf(file: FileHandle, unlisted: UnlistedFiles): ReadableStream<Uint8Array> {
  const close = () => {
    unlisted[Symbol.dispose]();
    return file.close();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(CHUNK_BYTES), 0, CHUNK_BYTES);
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await close();
        controller.close();
      },
      cancel: close,
    },
    // No read-ahead before the consumer pulls.
    { highWaterMark: 0 },
  );
}

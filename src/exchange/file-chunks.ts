import { open } from "node:fs/promises";

const CHUNK_BYTES = 262_144;

/**
 * Streams the bytes of a file in chunks. The file is closed when the generator returns: a Node stream closes it
 * asynchronously, which never happens if the thread ends after an error.
 */
export async function* fileChunks(
  path: string,
  onRead?: (readBytes: number, fileBytes: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  await using file = await open(path, "r");
  const fileBytes = onRead ? (await file.stat()).size : 0;
  for (let readBytes = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    readBytes += bytesRead;
    onRead?.(readBytes, fileBytes);
    yield buffer.subarray(0, bytesRead);
  }
}

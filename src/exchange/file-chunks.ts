import { open } from "node:fs/promises";

const CHUNK_BYTES = 262_144;

/**
 * The bytes of a file, portion after portion. The file is closed when the generator has returned: streams close it some
 * time later, which never comes when the thread is ended after a refusal.
 */
export async function* fileChunks(path: string): AsyncGenerator<Buffer, void, undefined> {
  await using file = await open(path, "r");
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

import { createWriteStream } from "node:fs";
import type { Writable } from "node:stream";
import { guarded } from "../lib/callbacks.ts";

/**
 * Creates a file that only its owner can read, and calls `write` with its stream, which `write` ends. Resolves, or fails like
 * `write`, when the file is closed: after a source that fails early the disk may open it later, and a caller that removes
 * it before then would leave it behind.
 */
export async function writeNewFile<T>(path: string, write: (file: Writable) => Promise<T>): Promise<T> {
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  const closed = new Promise<void>((resolve) => file.once("close", guarded(resolve)));
  try {
    return await write(file);
  } catch (error) {
    file.destroy();
    throw error;
  } finally {
    await closed;
  }
}

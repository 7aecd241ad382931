import { existsSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { assert } from "../../lib/assert.ts";
import { guarded } from "../../lib/callbacks.ts";

/** Returns the folder that contains all files of a document. */
export function documentFolder(folder: string, uuid: string): string {
  // Folder names are built from it.
  assert(/^[\w-]{1,64}$/.test(uuid), "a document's UUID must be valid");
  return join(folder, "docs", uuid);
}

/** Returns the path of a document's file. */
export const documentFile = (folder: string, uuid: string): string =>
  join(documentFolder(folder, uuid), "document.grist");

/** Returns the path of a temporary file with a document as it was at a state. */
export function pastFile(folder: string, name: string): string {
  assert(/^past-[\w-]{1,64}$/.test(name), "the name of a file with a past state must be valid");
  return join(folder, "tmp", name);
}

/** Returns the path of the file that a runtime opens for a document. */
export const fileToOpen = ({ folder, isPast = false }: { folder: string; isPast?: boolean }, uuid: string): string =>
  isPast ? pastFile(folder, uuid) : documentFile(folder, uuid);

/** Returns the size on disk of a document's file with its write-ahead log; null when it does not exist. */
export function documentFileSize(path: string): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return null;
  return file.size + logFileSize(path);
}

/** Returns the size of a document's write-ahead log in bytes; 0 when it has none. */
export const logFileSize = (path: string): number => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;

/** Returns true when a document's write-ahead log is larger than its file. */
export const isLogLargerThanFile = (path: string): boolean =>
  logFileSize(path) > (statSync(path, { throwIfNoEntry: false })?.size ?? 0);

/**
 * Removes the folder of files that were not finished. A cancelled job may still write there meanwhile, and the folder then
 * stays, without an error: it is removed again when the job has ended.
 * @param ended resolves when the job has ended
 */
export function removeUnfinished(folder: string, ended: () => Promise<unknown>): void {
  const remove = guarded(() => rmSync(folder, { recursive: true, force: true }));
  remove();
  if (!existsSync(folder)) return;
  guarded(async () => {
    await ended();
    remove();
  })();
}

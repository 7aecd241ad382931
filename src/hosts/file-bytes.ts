import { statSync } from "node:fs";

/** Returns the size on disk of a document's file with its write-ahead log; null when it does not exist. */
export function documentFileSize(path: string): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return null;
  return file.size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

import { statSync } from "node:fs";

/** How much of the disk a document's file takes up, with its write-ahead log; null when there is no file. */
export function documentFileSize(path: string): number | null {
  const file = statSync(path, { throwIfNoEntry: false });
  if (!file) return null;
  return file.size + (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0);
}

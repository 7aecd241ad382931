import { closeSync, fsyncSync, openSync } from "node:fs";

/** Syncs a file, or the entries of a folder, to disk; before this they may not survive a power failure. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

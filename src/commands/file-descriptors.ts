import { closeSync, openSync, readFileSync } from "node:fs";

/** File descriptors reserved for documents and other files. */
const RESERVED_DESCRIPTORS = 128;

/** The file descriptor limit of this process; Bun has raised the soft limit to the hard limit. */
export function maxFileDescriptors(): number {
  try {
    const [, maxOpenFiles] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return maxOpenFiles === undefined ? Number.POSITIVE_INFINITY : Number(maxOpenFiles);
  } catch {
    // Only Linux has this file.
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns true when the process is close to its file descriptor limit. */
export function areFileDescriptorsScarce(limit: number): boolean {
  if (limit === Number.POSITIVE_INFINITY) return false;
  try {
    // POSIX: a new descriptor gets the lowest free number.
    const lowestFree = openSync("/dev/null", "r");
    closeSync(lowestFree);
    return lowestFree > limit - Math.min(RESERVED_DESCRIPTORS, limit / 2);
  } catch {
    return true;
  }
}

import { closeSync, openSync, readFileSync } from "node:fs";

/** What is kept for documents and other files. */
const RESERVED_DESCRIPTORS = 128;

/** How many files and connections this process may have open at a time; Bun has raised it as far as it may. */
export function maxFileDescriptors(): number {
  try {
    const [, maxOpenFiles] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return maxOpenFiles === undefined ? Number.POSITIVE_INFINITY : Number(maxOpenFiles);
  } catch {
    // Only Linux tells.
    return Number.POSITIVE_INFINITY;
  }
}

/** True when the process has nearly as many files and connections open as it may. */
export function areFileDescriptorsScarce(limit: number): boolean {
  if (limit === Number.POSITIVE_INFINITY) return false;
  try {
    // A new file gets the lowest number that is free.
    const lowestFree = openSync("/dev/null", "r");
    closeSync(lowestFree);
    return lowestFree > limit - Math.min(RESERVED_DESCRIPTORS, limit / 2);
  } catch {
    return true;
  }
}

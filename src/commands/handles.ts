import { closeSync, openSync, readFileSync } from "node:fs";

/** What is kept for documents and other files. */
const LEAST = 128;

/** How many files and connections this process may have open at a time; Bun has raised it as far as it may. */
export function handleLimit(): number {
  try {
    const [, most] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return most === undefined ? Number.POSITIVE_INFINITY : Number(most);
  } catch {
    // Only Linux tells.
    return Number.POSITIVE_INFINITY;
  }
}

/** True when the process has nearly as many files and connections open as it may. */
export function areHandlesScarce(limit: number): boolean {
  if (limit === Number.POSITIVE_INFINITY) return false;
  try {
    // A new file gets the lowest number that is free.
    const lowest = openSync("/dev/null", "r");
    closeSync(lowest);
    return lowest > limit - Math.min(LEAST, limit / 2);
  } catch {
    return true;
  }
}

import { readFileSync } from "node:fs";

/** Private memory of the process in bytes, without pages shared with the executable file. */
export function residentBytes(): number {
  try {
    const match = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"));
    if (match) return Number(match[1]) * 1024;
  } catch {
    // This file exists on Linux only.
  }
  return process.memoryUsage.rss();
}

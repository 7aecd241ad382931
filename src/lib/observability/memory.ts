import { readFileSync } from "node:fs";

/** How much memory the process holds itself, in bytes, without what it shares with the program's file. */
export function residentBytes(): number {
  try {
    const match = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync("/proc/self/status", "utf8"));
    if (match) return Number(match[1]) * 1024;
  } catch {
    // Elsewhere than on Linux there is no such file.
  }
  return process.memoryUsage.rss();
}

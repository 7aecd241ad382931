import { readFileSync } from "node:fs";

/** Returns the file descriptor limit of this process; Bun raises its soft limit to the hard one. */
export function availableHandles(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return soft === undefined ? 1024 : Number(soft);
}

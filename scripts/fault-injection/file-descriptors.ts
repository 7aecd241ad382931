import { readFileSync } from "node:fs";

/** How many files this process may have open; Bun raises its own limit as far as it may. */
export function availableHandles(): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return soft === undefined ? 1024 : Number(soft);
}

/** The processor time of a server: of its process and all processes that it started. Linux only. */
import { readFileSync } from "node:fs";
import { processTree } from "./own-memory.ts";

/** Ticks per second of the times in /proc, which Linux fixes for programs on all its processors. */
const TICKS_PER_SECOND = 100;

/** Returns the processor time of a process and its descendants so far in milliseconds, with that of ended children. */
export function processorMs(pid: number): number {
  const ticks = processTree(pid).flatMap(ticksOf);
  return (ticks.reduce((sum, one) => sum + one, 0) / TICKS_PER_SECOND) * 1000;
}

/** Returns user and system time, of the process and of its children that ended. */
function ticksOf(pid: number): number[] {
  try {
    // The name of the process, in parentheses, may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).map(Number);
  } catch {
    return [];
  }
}

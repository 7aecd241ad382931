import { existsSync } from "node:fs";
import { randomHex } from "./ids.ts";

/** Returns an unused name of a temporary file; `kind` is a lower-case word. */
export const temporaryName = (kind: string): string => `${kind}-${process.pid}-${randomHex(8)}`;

const NAME = /^[a-z]+-(\d+)-/;

/**
 * Returns true if the process that named a temporary file no longer runs; false where the system does not list
 * processes. A process that has just started has no temporary files: those with its id are from a former process.
 */
export function isLeftOver(name: string): boolean {
  const pid = NAME.exec(name)?.[1];
  if (pid === undefined || !existsSync("/proc/self")) return false;
  return Number(pid) === process.pid || !existsSync(`/proc/${pid}`);
}

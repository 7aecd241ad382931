import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isLeftOver } from "../lib/temporary-names.ts";

/** Maximum lifetime of temporary files of commands that run next to the server. */
const TEMPORARY_FILE_MAX_AGE_MS = 24 * 3_600_000;

/** Removes temporary files left over from a crash. */
export function sweepTemporaryFiles(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isOld = statSync(path).mtimeMs < Date.now() - TEMPORARY_FILE_MAX_AGE_MS;
    if (isOld || isLeftOver(name)) rmSync(path, { recursive: true, force: true });
  }
}

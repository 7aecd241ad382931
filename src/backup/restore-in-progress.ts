import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../errors.ts";

/** Returns the work folder of a restore, which exists until the restore is complete. */
export const restoreWorkFolder = (folder: string): string => join(folder, ".restoring");

/** @throws AppError `conflict` for a data folder with an unfinished restore */
export function requireNoUnfinishedRestore(folder: string): void {
  if (!existsSync(restoreWorkFolder(folder))) return;
  throw new AppError(
    "conflict",
    `a restore to ${folder} is in progress or was interrupted; if it was interrupted, empty the folder and restore again`,
  );
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import { AppError } from "../errors.ts";

/** Where everything lies that is restored to a data folder until it is complete. */
export const restoreWorkFolder = (folder: string): string => join(folder, ".restoring");

/** @throws AppError `conflict` for a data folder that a restore was ended in */
export function requireNoUnfinishedRestore(folder: string): void {
  if (!existsSync(restoreWorkFolder(folder))) return;
  throw new AppError(
    "conflict",
    `a restore to ${folder} is under way, or was ended before it was done: then empty the folder and restore again`,
  );
}

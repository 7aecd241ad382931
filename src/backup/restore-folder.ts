import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../errors.ts";
import { acquireLock } from "../sqlite/lock.ts";
import { fsyncPath } from "./compression.ts";
import { requireNoUnfinishedRestore, restoreWorkFolder } from "./restore-in-progress.ts";

/** Files allowed in an empty data folder: the lock taken here, and files of the file system. */
const IGNORED_NAMES = new Set(["lock", "lock-journal", "lost+found"]);

/**
 * Restores a data folder: `assemble` writes `home.sqlite` and `docs/` below a work folder, which are moved into place
 * when it is done.
 * @param folder missing or empty
 * @throws AppError `conflict` when the folder is not empty or in use, `storage`, and what `assemble` throws. The folder is
 * then unchanged.
 */
export async function restoreIntoFolder<T>(folder: string, assemble: (workFolder: string) => Promise<T>): Promise<T> {
  const isNew = !existsSync(folder);
  await requireEmpty(folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const workFolder = restoreWorkFolder(folder);
  const lock = lockFolder(folder);
  try {
    await requireEmpty(folder);
    await mkdir(join(workFolder, "docs"), { recursive: true, mode: 0o700 });
    const result = await assemble(workFolder);
    await fsyncPath(join(workFolder, "docs"));
    await fsyncPath(workFolder);
    await moveIntoPlace(workFolder, folder);
    return result;
  } catch (error) {
    await rm(workFolder, { recursive: true, force: true });
    await rm(join(folder, "lock"), { force: true });
    if (isNew) await rm(folder, { recursive: true, force: true });
    throw asRefusal(error);
  } finally {
    lock[Symbol.dispose]();
  }
}

async function requireEmpty(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const existingEntry = (await readdir(folder)).find((entry) => !IGNORED_NAMES.has(entry));
  requireNoUnfinishedRestore(folder);
  if (existingEntry !== undefined) {
    throw new AppError("conflict", `the data folder ${folder} is not empty (${existingEntry}); choose an empty folder`);
  }
}

function lockFolder(folder: string): Disposable {
  try {
    return acquireLock(join(folder, "lock"));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    throw new AppError("conflict", `the data folder ${folder} is in use by a server`);
  }
}

/** Moves the home database last: without it the folder is not a data folder. */
async function moveIntoPlace(workFolder: string, folder: string): Promise<void> {
  await rename(join(workFolder, "docs"), join(folder, "docs"));
  await fsyncPath(folder);
  await rename(join(workFolder, "home.sqlite"), join(folder, "home.sqlite"));
  await fsyncPath(folder);
  await rm(workFolder, { recursive: true, force: true });
  await fsyncPath(dirname(folder));
}

function asRefusal(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (code !== "ENOSPC" && code !== "EDQUOT") return error;
  return new AppError("storage", "the disk is full; nothing was restored", { cause: error });
}

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError, notFound } from "../errors.ts";
import { Database } from "../sqlite/database.ts";

/** What SQLite keeps beside a file: changes not yet in it, and what undoes a change that was cut off. */
const COMPANION_SUFFIXES = ["-wal", "-journal"];

/**
 * Copies a database that nobody in this process has open (reading an open one by other means would drop SQLite's
 * locks on it), with the changes that are still beside it.
 */
export function copyDatabase(from: string, to: string): void {
  try {
    for (const suffix of ["", ...COMPANION_SUFFIXES]) {
      if (suffix !== "" && !existsSync(from + suffix)) continue;
      copyFileSync(from + suffix, to + suffix, constants.COPYFILE_FICLONE);
      // A copy has the permissions of the original, which may be for reading only.
      chmodSync(to + suffix, statSync(to + suffix).mode | 0o600);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && !existsSync(from)) throw notFound("There is no such file");
    throw cannotWrite(cause);
  }
}

/** As `copyDatabase`, into one clean file with nothing beside it. */
export function copyAsSingleFile(from: string, to: string): void {
  copyDatabase(from, to);
  using db = new Database(to);
  db.exec("pragma journal_mode = delete");
}

/** Gives a finished file its name, replacing what had it: after this it survives a power cut. */
export function replaceFileDurably(newFile: string, path: string): void {
  try {
    syncToDisk(newFile);
    renameSync(newFile, path);
    syncToDisk(dirname(path));
  } catch (cause) {
    throw cannotWrite(cause);
  }
}

/** Deletes a database and everything beside it; fine when there is none. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-shm", ...COMPANION_SUFFIXES]) rmSync(path + suffix, { force: true });
}

/** Writes out a file, or the names in a folder: they survive a power cut only after this. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

const cannotWrite = (cause: unknown): AppError =>
  new AppError("storage", "The document cannot be written: the disk is full or read-only", { cause });

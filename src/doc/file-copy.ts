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

/** SQLite's companion files: the write-ahead log and the rollback journal. */
const COMPANION_SUFFIXES = ["-wal", "-journal"];

/**
 * Copies a database that is not open in this process (reading an open one outside SQLite would drop its locks), with
 * its companion files.
 */
export function copyDatabase(from: string, to: string): void {
  try {
    for (const suffix of ["", ...COMPANION_SUFFIXES]) {
      if (suffix !== "" && !existsSync(from + suffix)) continue;
      copyFileSync(from + suffix, to + suffix, constants.COPYFILE_FICLONE);
      // A copy inherits the permissions of the original, which may be read-only.
      chmodSync(to + suffix, statSync(to + suffix).mode | 0o600);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" && !existsSync(from)) throw notFound("There is no such file");
    throw cannotWrite(cause);
  }
}

/** Like `copyDatabase`, but merges companion files so that the copy is a single file. */
export function copyAsSingleFile(from: string, to: string): void {
  copyDatabase(from, to);
  using db = new Database(to);
  db.exec("pragma journal_mode = delete");
}

/** Renames a finished file to `path`, replacing any existing one; the result survives a power failure. */
export function replaceFileDurably(newFile: string, path: string): void {
  try {
    syncToDisk(newFile);
    renameSync(newFile, path);
    syncToDisk(dirname(path));
  } catch (cause) {
    throw cannotWrite(cause);
  }
}

/** Deletes a database and its companion files. Idempotent. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-shm", ...COMPANION_SUFFIXES]) rmSync(path + suffix, { force: true });
}

/** Syncs a file, or the entries of a folder, to disk; before this they may not survive a power failure. */
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

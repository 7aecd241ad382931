import { chmodSync, constants, copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { AppError, notFound } from "../errors.ts";
import { syncToDisk } from "../lib/sync-to-disk.ts";
import { Database } from "../sqlite/database.ts";

/** SQLite's companion files: the write-ahead log and the rollback journal. */
const COMPANION_SUFFIXES = ["-wal", "-journal"];

/** Returns the path at which an upgrade keeps the former file of a document. */
export const formerFile = (path: string): string => join(dirname(path), "former.grist");

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

/**
 * Has a new database written beside `to`, and renames it once it is complete. After a failure nothing remains at `to` or
 * beside it.
 * @param write receives the path of the file
 * @param place renames it; durably by default
 */
export function createDatabaseAt<T>(to: string, write: (file: string) => T, place = replaceFileDurably): T {
  const file = `${to}.part`;
  removeDatabase(file);
  try {
    const result = write(file);
    place(file, to);
    return result;
  } finally {
    removeDatabase(file);
  }
}

/** Deletes a database and its companion files. Idempotent. */
export function removeDatabase(path: string): void {
  for (const suffix of ["", "-shm", ...COMPANION_SUFFIXES]) rmSync(path + suffix, { force: true });
}

/**
 * Gives a file that is about to be replaced a second name, replacing what has that name: a hard link, or a copy where
 * the file system has no links.
 */
export function keepUnderSecondName(path: string, secondName: string): void {
  const partialFile = `${secondName}.part`;
  try {
    rmSync(partialFile, { force: true });
    try {
      linkSync(path, partialFile);
    } catch {
      copyFileSync(path, partialFile, constants.COPYFILE_FICLONE);
      syncToDisk(partialFile);
    }
    renameSync(partialFile, secondName);
    syncToDisk(dirname(secondName));
  } catch (cause) {
    throw cannotWrite(cause);
  } finally {
    // Renaming a link to another link of the same file leaves both.
    rmSync(partialFile, { force: true });
  }
}

const cannotWrite = (cause: unknown): AppError =>
  new AppError("storage", "The document cannot be written: the disk is full or read-only", { cause });

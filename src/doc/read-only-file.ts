import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../sqlite/database.ts";
import { copyAsSingleFile } from "./file-copy.ts";
import { migrateDocument } from "./migrations/migrate.ts";
import { isWalFile, sanitizeDatabase } from "./untrusted-file.ts";

/**
 * Calls `read` with a path that can be opened read-only without creating files beside it: the document's file, even
 * while a server has it open, or else a temporary copy.
 */
export function withReadablePath<T>(path: string, read: (readable: string) => T): T {
  return canBeReadInPlace(path) ? read(path) : withCopy(path, read);
}

/** Calls `read` with a temporary copy of a document of an older version, upgraded to the current one. */
export function withUpgradedCopy<T>(path: string, read: (db: Database) => T): T {
  return withCopy(path, (copy) => {
    using db = new Database(copy);
    db.exec("pragma synchronous = off");
    sanitizeDatabase(db);
    migrateDocument(db);
    return read(db);
  });
}

/**
 * Opening a file in WAL mode creates two companion files unless another process has it open and they exist; after a
 * crash, opening would have to recover it first.
 */
function canBeReadInPlace(path: string): boolean {
  if (existsSync(`${path}-shm`) && existsSync(`${path}-wal`)) return true;
  return !isWalFile(path) && !existsSync(`${path}-journal`);
}

function withCopy<T>(path: string, read: (copy: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "quern-check-"));
  try {
    const copy = join(folder, "document.grist");
    copyAsSingleFile(path, copy);
    return read(copy);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

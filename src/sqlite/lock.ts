import { existsSync } from "node:fs";
import { AppError } from "../errors.ts";
import { Database } from "./database.ts";
import { isSqliteError, translateSqliteError } from "./errors.ts";

/** Returns true while a process holds a lock of `acquireLock`. Changes nothing. */
export function isLocked(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    using db = new Database(path, { readonly: true, busyTimeoutMs: 0 });
    db.get("select 1 from sqlite_schema");
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  }
}

/**
 * Acquires a lock across processes that is released when the process ends, even by a crash: an exclusive transaction on
 * an empty database file, backed by the operating system's file locks.
 * @throws AppError `conflict` when another process holds it
 */
export function acquireLock(path: string): Disposable {
  let db: Database | undefined;
  try {
    db = new Database(path, { create: true, busyTimeoutMs: 0 });
    db.exec("begin exclusive");
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw new AppError("conflict", "held by another process", { cause: error });
    throw translateSqliteError(error);
  }
  const connection = db;
  return { [Symbol.dispose]: () => connection.close() };
}

const isBusy = (error: unknown): boolean =>
  isSqliteError(error instanceof AppError ? error.cause : error, "SQLITE_BUSY");

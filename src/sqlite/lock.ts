import { AppError } from "../errors.ts";
import { Database } from "./database.ts";
import { isSqliteError, translateSqliteError } from "./errors.ts";

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
    const cause = error instanceof AppError ? error.cause : error;
    if (isSqliteError(cause, "SQLITE_BUSY")) throw new AppError("conflict", "held by another process", { cause });
    throw translateSqliteError(error);
  }
  const connection = db;
  return { [Symbol.dispose]: () => connection.close() };
}

import { AppError } from "../errors.ts";
import { incrementCounter } from "../lib/observability/measurements.ts";

/** Returns true for SQLite errors with that code or a more specific one (`SQLITE_CONSTRAINT` covers `…_UNIQUE`). */
export function isSqliteError(error: unknown, code: string): boolean {
  const found = (error as { code?: unknown } | null)?.code;
  return typeof found === "string" && (found === code || found.startsWith(`${code}_`));
}

const ERROR_FACTORIES: [code: string, make: (cause: unknown) => AppError][] = [
  ["SQLITE_FULL", (cause) => new AppError("storage", "The disk is full; nothing was changed", { cause })],
  ["SQLITE_IOERR", (cause) => new AppError("storage", "The disk cannot be read or written", { cause })],
  ["SQLITE_READONLY", (cause) => new AppError("storage", "The data folder cannot be written to", { cause })],
  ["SQLITE_CANTOPEN", (cause) => new AppError("storage", "A database file cannot be opened", { cause })],
  ["SQLITE_BUSY", databaseBusy],
  ["SQLITE_CORRUPT", (cause) => new AppError("damaged", "The file is damaged and cannot be read", { cause })],
  ["SQLITE_NOTADB", (cause) => new AppError("file.invalid", "The file is not an SQLite database", { cause })],
  ["SQLITE_TOOBIG", (cause) => new AppError("invalid", "A value is too large to be stored", { cause })],
];

function databaseBusy(cause: unknown): AppError {
  incrementCounter("sqliteBusy");
  return new AppError("unavailable", "The database is busy, try again", { cause, retryAfterS: 1 });
}

/** Translates SQLite errors about the disk or the file to `AppError`; returns other errors unchanged. */
export function translateSqliteError(error: unknown): unknown {
  for (const [code, make] of ERROR_FACTORIES) if (isSqliteError(error, code)) return make(error);
  return error;
}

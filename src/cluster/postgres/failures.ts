/**
 * Failures of statements. Neither says whether a change happened: a caller that sent one has to find out
 * (`resolveAppend`), since PostgreSQL may have committed before the answer was lost.
 */

/** The connection ended, or was closed at a deadline, before the answer of a statement. */
export class ConnectionLostError extends Error {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.name = "ConnectionLostError";
  }
}

/** PostgreSQL answered a statement with an error. */
export class StatementError extends Error {
  /** The five characters that identify the error: `23505` for a duplicate key. */
  readonly sqlState: string;

  constructor(message: string, sqlState: string) {
    super(message);
    this.name = "StatementError";
    this.sqlState = sqlState;
  }
}

/** SQLSTATEs that programs react to. */
export const SQL_STATE = {
  insufficientPrivilege: "42501",
  undefinedTable: "42P01",
  invalidSchemaName: "3F000",
  invalidCatalogName: "3D000",
  invalidPassword: "28P01",
  invalidAuthorization: "28000",
  serializationFailure: "40001",
} as const;

/** The fields of the driver's error that are used. */
interface DriverError {
  readonly message: string;
  readonly code?: string;
  readonly severity?: string;
}

/** Translates an error of the driver. PostgreSQL ends the connection after errors of severity FATAL and PANIC. */
export function translateDriverError(error: unknown): ConnectionLostError | StatementError {
  if (error instanceof ConnectionLostError || error instanceof StatementError) return error;
  const { message, code, severity } = error as DriverError;
  if (severity === "ERROR" && code !== undefined) return new StatementError(message, code);
  return new ConnectionLostError(message, { cause: error });
}

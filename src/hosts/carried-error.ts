import { AppError, type ErrorCode } from "../errors.ts";

/** An error as plain data, on its way from one thread to another. */
export interface CarriedError {
  /** Null for what is no refusal. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly retryAfterS?: number;
  /** For the log. */
  readonly cause?: string;
}

export function packError(error: unknown): CarriedError {
  if (!(error instanceof AppError)) return { code: null, message: describe(error) };
  const { code, message, details, retryAfterS, cause } = error;
  return {
    code,
    message,
    ...(details && { details }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(cause !== undefined && { cause: describe(cause) }),
  };
}

export function unpackError({ code, message, ...more }: CarriedError): Error {
  return code === null ? new Error(message) : new AppError(code, message, more);
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

import { AppError, type Reason } from "../../errors.ts";

/** An error as plain data, for messages between threads. */
export interface SerializedError {
  /** Null for errors other than `AppError`. */
  readonly reason: Reason | null;
  readonly message: string;
  readonly details?: Record<string, unknown>;
  readonly retryAfterS?: number;
  /** For the log. */
  readonly cause?: string;
}

export function serializeError(error: unknown): SerializedError {
  if (!(error instanceof AppError)) return { reason: null, message: describe(error) };
  const { reason, message, details, retryAfterS, cause } = error;
  return {
    reason,
    message,
    ...(details && { details }),
    ...(retryAfterS !== undefined && { retryAfterS }),
    ...(cause !== undefined && { cause: describe(cause) }),
  };
}

export function deserializeError({ reason, message, ...options }: SerializedError): Error {
  return reason === null ? new Error(message) : new AppError(reason, message, options);
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

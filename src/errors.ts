/**
 * Refusals and failures, as every layer below HTTP speaks of them. What status a code has on the wire is decided in
 * one table in `http/errors.ts`; nothing here knows HTTP.
 */

export type ErrorCode =
  /** Malformed or impossible request. */
  | "invalid"
  /** No key or session where one is needed, or one that is wrong, removed or expired. */
  | "unauthenticated"
  /** The thing is known, the caller may not. */
  | "forbidden"
  | "notFound"
  /** A request that other versions of the API took; the message names what to use instead. */
  | "gone"
  | "conflict"
  | "tooLarge"
  /** An upload that is not what the route takes, or a body with an encoding that no route takes. */
  | "unsupportedMedia"
  | "tooMany"
  /** The request itself did not come in within the time given: nothing was changed. */
  | "slow"
  /** What was asked for takes too long to be waited for, and goes on: whether it will be done is not known yet. */
  | "late"
  /** Shutting down, or the document is being replaced. */
  | "unavailable"
  /** Storage is full or read-only: nothing was changed. */
  | "storage"
  /** A file of ours cannot be read any more. */
  | "damaged";

export interface ErrorOptions {
  /** Shown to the caller under `details`. */
  details?: Record<string, unknown>;
  /** Seconds after which trying again makes sense. */
  retryAfterS?: number;
  /** For the log only, never shown. */
  cause?: unknown;
}

/** A refusal with a sentence that may be shown to the caller as it stands. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterS: number | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    this.code = code;
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
  }
}

/** 400 for a request that makes no sense; `message` says which part and why. */
export const invalid = (message: string, details?: Record<string, unknown>): AppError =>
  new AppError("invalid", message, details ? { details } : {});

/** A body or query whose shape is wrong, in the form clients know: `userError` names the field. */
export const invalidPayload = (userError: string): AppError =>
  new AppError("invalid", "Invalid payload", { details: { userError } });

export const forbidden = (message = "No access"): AppError => new AppError("forbidden", message);

export const notFound = (message: string): AppError => new AppError("notFound", message);

export const gone = (message: string): AppError => new AppError("gone", message);

export const unauthenticated = (message: string): AppError => new AppError("unauthenticated", message);

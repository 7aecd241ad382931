/**
 * Refusals and failures, as every layer below HTTP speaks of them. What status a kind has on the wire is decided in
 * one table in `http/error-responses.ts`; nothing here knows HTTP.
 */
import { GENERAL_CODES, kindOf, type ErrorCode, type Reason, type ReasonOf } from "./errors/codes.ts";
import { FROZEN, type FrozenMessage } from "./errors/frozen-messages.ts";

export type { ErrorCode, Reason } from "./errors/codes.ts";

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
  /** The kind of refusal: decides the status. */
  readonly code: ErrorCode;
  /** Shown to the caller as `details.code`: what programs match. */
  readonly reason: Reason;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterS: number | undefined;

  /** @param code a code of `errors/codes.ts`, or a kind, which stands for its general code */
  constructor(code: ErrorCode | Reason, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "AppError";
    const kind = kindOf(code);
    this.code = kind ?? (code as ErrorCode);
    this.reason = kind ? (code as Reason) : GENERAL_CODES[code as ErrorCode];
    this.details = options.details;
    this.retryAfterS = options.retryAfterS;
  }
}

/** 400 for a request that makes no sense; `message` says which part and why. */
export const invalid = (message: string, details?: Record<string, unknown>): AppError =>
  new AppError("invalid", message, details ? { details } : {});

/** A refusal with a sentence that existing programs match. */
export const frozenError = <Values extends readonly unknown[]>(
  { code, message }: FrozenMessage<Values>,
  ...values: Values
): AppError => new AppError(code, message(...values));

/** 400 for a file that cannot be read. */
export const invalidFile = (message: string): AppError => new AppError("file.invalid", message);

/** A body or query whose shape is wrong, in the form clients know: `userError` names the field. */
export const invalidPayload = (userError: string): AppError =>
  new AppError(FROZEN.invalidPayload.code, FROZEN.invalidPayload.message(), { details: { userError } });

export const forbidden = (message = "No access", reason: ReasonOf<"forbidden"> = "access.denied"): AppError =>
  new AppError(reason, message);

export const notFound = (message: string, reason: ReasonOf<"notFound"> = "resource.not_found"): AppError =>
  new AppError(reason, message);

export const gone = (message: string): AppError => new AppError("gone", message);

export const unauthenticated = (message: string, reason: ReasonOf<"unauthenticated"> = "auth.failed"): AppError =>
  new AppError(reason, message);

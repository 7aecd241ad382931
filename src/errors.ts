/**
 * Refusals and failures of all layers below HTTP. `http/error-responses.ts` maps their kinds to statuses; nothing here
 * depends on HTTP.
 */
import { GENERAL_CODES, kindOf, type ErrorCode, type Reason, type ReasonOf } from "./errors/codes.ts";
import { FROZEN, type FrozenMessage } from "./errors/frozen-messages.ts";

export type { ErrorCode, Reason } from "./errors/codes.ts";

export interface ErrorOptions {
  /** Shown to the caller under `details`. */
  details?: Record<string, unknown>;
  /** Seconds after which a retry makes sense. */
  retryAfterS?: number;
  /** For the log only; never sent to the caller. */
  cause?: unknown;
}

/** A refusal whose message can be shown to the caller. */
export class AppError extends Error {
  /** The kind of refusal: decides the status. */
  readonly code: ErrorCode;
  /** Sent to the caller as `details.code`, for programs. */
  readonly reason: Reason;
  readonly details: Record<string, unknown> | undefined;
  readonly retryAfterS: number | undefined;

  /** @param code a code of `errors/codes.ts`, or a kind, for the default code of the kind */
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

/** 400 for an invalid request; `message` describes the problem. */
export const invalid = (message: string, details?: Record<string, unknown>): AppError =>
  new AppError("invalid", message, details ? { details } : {});

/** A refusal with a message that existing programs match. */
export const frozenError = <Values extends readonly unknown[]>(
  { code, message }: FrozenMessage<Values>,
  ...values: Values
): AppError => new AppError(code, message(...values));

/** 400 for a file that cannot be read. */
export const invalidFile = (message: string): AppError => new AppError("file.invalid", message);

/** A body or query that does not match its schema, in the form that clients expect: `userError` names the field. */
export const invalidPayload = (userError: string): AppError =>
  new AppError(FROZEN.invalidPayload.code, FROZEN.invalidPayload.message(), { details: { userError } });

export const forbidden = (message = "No access", reason: ReasonOf<"forbidden"> = "access.denied"): AppError =>
  new AppError(reason, message);

export const notFound = (message: string, reason: ReasonOf<"notFound"> = "resource.not_found"): AppError =>
  new AppError(reason, message);

export const gone = (message: string): AppError => new AppError("gone", message);

export const unauthenticated = (message: string, reason: ReasonOf<"unauthenticated"> = "auth.failed"): AppError =>
  new AppError(reason, message);

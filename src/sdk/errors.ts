import type { ErrorCode } from "./error-code.ts";

interface ErrorFacts {
  readonly status: number;
  readonly code?: ErrorCode | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly requestId?: string | undefined;
  readonly retryAfterS?: number | undefined;
  readonly cause?: unknown;
}

/** A refused or failed request. */
export class QuernError extends Error {
  /** The status of the response; 0 if there was none. */
  readonly status: number;
  /** The reason, for programs; undefined if the server gave none. */
  readonly code: ErrorCode | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfterS: number | undefined;

  constructor(message: string, { status, code, details = {}, requestId, retryAfterS, cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "QuernError";
    this.status = status;
    this.code = code;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterS = retryAfterS;
  }
}

/** Creates the error of a response that is not 2xx. */
export function errorOf(status: number, text: string, headerOf: (name: string) => string | null): QuernError {
  let body: { error?: unknown; details?: { code?: ErrorCode } } | undefined;
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    // A proxy answered.
  }
  const { error, details } = body ?? {};
  const retryAfter = Number(headerOf("Retry-After") ?? "");
  return new QuernError(typeof error === "string" ? error : `The server answered with status ${status}`, {
    status,
    code: details?.code,
    ...(details && { details }),
    requestId: headerOf("X-Request-Id") ?? undefined,
    retryAfterS: retryAfter > 0 ? retryAfter : undefined,
  });
}

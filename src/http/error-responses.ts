import { AppError, type ErrorCode } from "../errors.ts";
import { INTERNAL_CODE } from "../errors/codes.ts";
import { stackOf } from "../lib/callbacks.ts";
import { isDiskError, isOutOfFileDescriptors } from "../lib/disk-errors.ts";
import type { Call } from "./call.ts";
import { jsonResponse } from "./responses.ts";

/** Maps the kinds of refusals to HTTP statuses; the only place that does. */
export const STATUS_BY_KIND: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  gone: 410,
  conflict: 409,
  tooLarge: 413,
  unsupportedMedia: 415,
  unprocessable: 422,
  tooMany: 429,
  slow: 408,
  late: 504,
  unavailable: 503,
  notImplemented: 501,
  storage: 507,
  damaged: 500,
};

/**
 * Returns the response for a thrown value: a refusal with its message, or an opaque 500 for unexpected errors, whose
 * cause is logged with the request id.
 */
export function errorResponse(thrown: unknown, call: Call): Response {
  const error = toAppError(thrown);
  const { log } = call.ctx;
  if (error instanceof AppError) {
    const status = STATUS_BY_KIND[error.code];
    if (error.cause !== undefined)
      log.warn("http.request_refused", { ...logFieldsOf(call), status, error: stackOf(error.cause) });
    else if (log.isEnabled("debug"))
      log.debug("http.request_refused", { ...logFieldsOf(call), status, why: error.message });
    const headers: Record<string, string> = {};
    // The rest of the body is not read.
    if (error.code === "slow") headers["Connection"] = "close";
    if (error.retryAfterS !== undefined) headers["Retry-After"] = String(error.retryAfterS);
    return jsonResponse(
      { error: error.message, details: { code: error.reason, ...error.details } },
      { status, headers },
    );
  }
  log.error("http.request_failed", { ...logFieldsOf(call), status: 500, error: stackOf(error) });
  return jsonResponse(
    { error: "Internal error", details: { code: INTERNAL_CODE, requestId: call.requestId } },
    { status: 500 },
  );
}

/** Translates file system errors, which can occur in many places. */
function toAppError(cause: unknown): unknown {
  if (isDiskError(cause)) return new AppError("storage", "The disk is full or not writable", { cause });
  if (isOutOfFileDescriptors(cause)) {
    return new AppError("server.overloaded", "The server has too many open files and connections", {
      cause,
      retryAfterS: 1,
    });
  }
  return cause;
}

/** Returns the log fields of a request. Excludes the query, which may contain secrets. */
const logFieldsOf = ({ requestId, request, path, accounting: { document } }: Call) => ({
  requestId,
  method: request.method,
  path,
  ...(document && { document }),
});

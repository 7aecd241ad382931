import { AppError, type ErrorCode } from "../errors.ts";
import type { Call } from "./call.ts";
import { json } from "./answers.ts";

/** The one place that knows which status a refusal has on the wire. */
export const STATUS: Record<ErrorCode, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  unsupportedMedia: 415,
  tooMany: 429,
  unavailable: 503,
  storage: 507,
  damaged: 500,
};

/**
 * The answer to whatever was thrown: a refusal with its sentence, or, for what nobody foresaw, an opaque 500 whose
 * cause stands in the log under the request id.
 */
export function refusal(error: unknown, call: Pick<Call, "requestId" | "ctx" | "path">): Response {
  if (error instanceof AppError) {
    const status = STATUS[error.code];
    if (error.cause !== undefined) {
      call.ctx.log.warn("refused", { requestId: call.requestId, path: call.path, error: describe(error.cause) });
    }
    const headers: Record<string, string> = {};
    if (error.retryAfterS !== undefined) headers["Retry-After"] = String(error.retryAfterS);
    return json({ error: error.message, ...(error.details && { details: error.details }) }, { status, headers });
  }
  call.ctx.log.error("failed", { requestId: call.requestId, path: call.path, error: describe(error) });
  return json({ error: "Internal error", details: { requestId: call.requestId } }, { status: 500 });
}

const describe = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

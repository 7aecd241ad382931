import { anonymous, type Actor } from "../authorization.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { isCrossOrigin } from "../lib/network/same-origin.ts";
import { actorFromBrowser, actorFromKey } from "../services/accounts/actors.ts";
import type { Call } from "./call.ts";

/**
 * Returns the caller: by key, else as the reverse proxy names them, else by session; else anonymous.
 * @throws AppError `unauthenticated` for an invalid key, and for browser writes that fail the CSRF check; `forbidden`
 * for a key in a request from a foreign origin
 */
export function identify(call: Call): Actor {
  const { request, ctx, config } = call;
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const actor = actorFromKey(ctx, parseBearerKey(authorization), call.address);
    const requestOrigin = request.headers.get("origin");
    if (requestOrigin !== null && isCrossOrigin(call) && !config.corsOrigins.includes(requestOrigin)) {
      throw forbidden("Requests from other origins must not use an API key", "access.origin");
    }
    return actor;
  }
  const actor = actorFromBrowser(ctx, call);
  if (isWriteMethod(request.method) && !passesCsrfCheck(request)) {
    throw unauthenticated("Send Content-Type: application/json or X-Requested-With: XMLHttpRequest", "auth.csrf");
  }
  return actor ?? anonymous;
}

/** Returns the key of an Authorization header, whose scheme is case-sensitive. */
function parseBearerKey(authorization: string): string {
  const match = /^Bearer (\S+)$/.exec(authorization);
  if (!match?.[1]) throw unauthenticated("The Authorization header must have the form Bearer <API key>", "auth.header");
  return match[1];
}

const isWriteMethod = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS";

/**
 * Returns whether a request passes the CSRF check: a plain form of a foreign page can send neither of these headers.
 */
function passesCsrfCheck({ headers }: Request): boolean {
  const type = headers.get("content-type") ?? "";
  return /^application\/json\b/i.test(type) || headers.get("x-requested-with") === "XMLHttpRequest";
}

const ALLOWED_METHODS = "GET, PATCH, PUT, POST, DELETE, OPTIONS";
const ALLOWED_HEADERS = "Authorization, Content-Type, Idempotency-Key, X-Requested-With";

/**
 * Returns the CORS headers for cross-origin requests, none for others. If a reverse proxy authenticates users by
 * network address, only listed origins may read responses.
 */
export function corsHeaders(call: Call): Record<string, string> | null {
  const { request, config, proxyUser } = call;
  const requestOrigin = request.headers.get("origin");
  if (requestOrigin === null || !isCrossOrigin(call)) return null;
  const isListedOrigin = config.corsOrigins.includes(requestOrigin);
  if (!isListedOrigin && proxyUser !== null) return null;
  return {
    "Access-Control-Allow-Origin": isListedOrigin ? requestOrigin : "*",
    "Access-Control-Allow-Methods": ALLOWED_METHODS,
    "Access-Control-Allow-Headers": isListedOrigin ? ALLOWED_HEADERS : "Content-Type, X-Requested-With",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id, Retry-After, Idempotency-Replayed",
    Vary: "Origin",
  };
}

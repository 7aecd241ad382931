import { anonymous, type Actor } from "../authorization.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { isCrossOrigin, isSameOrigin } from "../lib/network/same-origin.ts";
import { actorFromBrowser, actorFromKey } from "../services/accounts/actors.ts";
import { endUserOfToken } from "../services/tokens/end-users.ts";
import { isToken } from "../services/tokens/token-format.ts";
import type { Call } from "./call.ts";

/**
 * Returns the caller: by key or token, else as the reverse proxy names them, else by session; else anonymous.
 * @throws AppError `unauthenticated` for an invalid key or token, and for browser writes that fail the CSRF check; `forbidden`
 * for a key in a request from a foreign origin, or a token in a request from an origin that it is not for
 */
export function identify(call: Call): Actor {
  const { request, ctx } = call;
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const credentials = parseBearerKey(authorization);
    const actor = isToken(credentials)
      ? endUserOfToken(ctx, credentials)
      : actorFromKey(ctx, credentials, call.address);
    if (actor.kind === "endUser" && actor.origins !== null) requireOriginOfToken(call, actor.origins);
    else requireListedOrigin(call);
    return actor;
  }
  const actor = actorFromBrowser(ctx, call);
  if (isWriteMethod(request.method) && !passesCsrfCheck(request)) {
    throw unauthenticated("Send Content-Type: application/json or X-Requested-With: XMLHttpRequest", "auth.csrf");
  }
  return actor ?? anonymous;
}

/** @throws AppError `forbidden` for pages of other origins, unless the configuration lists them */
function requireListedOrigin(call: Call): void {
  const requestOrigin = call.request.headers.get("origin");
  if (requestOrigin === null || !isCrossOrigin(call) || call.config.corsOrigins.includes(requestOrigin)) return;
  throw forbidden("Requests from other origins must not use an API key", "access.origin");
}

/**
 * Tokens for certain origins are for browsers: requests without an origin are refused as well. Browsers omit it in
 * reads of the same origin, which they mark.
 * @throws AppError `forbidden`
 */
function requireOriginOfToken(call: Call, origins: readonly string[]): void {
  const { headers } = call.request;
  const requestOrigin = headers.get("origin");
  const isAllowed =
    requestOrigin === null
      ? headers.get("sec-fetch-site") === "same-origin" && origins.some((origin) => isSameOrigin(origin, call))
      : origins.includes(requestOrigin);
  if (!isAllowed) throw forbidden("The token is not for requests from this origin", "access.origin");
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

const isOriginOfToken = (actor: Actor, origin: string): boolean =>
  actor.kind === "endUser" && actor.origins !== null && actor.origins.includes(origin);

/**
 * True for preflight requests about a document. They have no token, which names the origins that can use it: all may
 * send one. API keys from these origins are refused all the same.
 */
const mayHaveToken = ({ request, path }: Call): boolean =>
  request.method === "OPTIONS" && /^\/api\/(docs|jobs)\//.test(path);

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
  const isListedOrigin = config.corsOrigins.includes(requestOrigin) || isOriginOfToken(call.actor, requestOrigin);
  if (!isListedOrigin && proxyUser !== null) return null;
  return {
    "Access-Control-Allow-Origin": isListedOrigin ? requestOrigin : "*",
    "Access-Control-Allow-Methods": ALLOWED_METHODS,
    "Access-Control-Allow-Headers":
      isListedOrigin || mayHaveToken(call) ? ALLOWED_HEADERS : "Content-Type, X-Requested-With",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id, Retry-After, Idempotency-Replayed",
    Vary: "Origin",
  };
}

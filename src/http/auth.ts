import { anonymous, type Actor } from "../access.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { actorFromKey, actorFromProxy, actorFromSession } from "../services/actors.ts";
import type { Call } from "./call.ts";
import { readSessionCookie } from "../lib/session-cookie.ts";

/**
 * Who is calling: by key, else as the reverse proxy says, else by session; else nobody.
 * @throws AppError `unauthenticated` for a key that is not good, and for writes of a browser that a foreign page could
 *   have sent; `forbidden` for a key in a foreign page's request
 */
export function identify(call: Call): Actor {
  const { request, ctx, proxyUser } = call;
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const actor = actorFromKey(ctx, keyOf(authorization));
    if (isForeign(call)) throw forbidden("Pages of other origins may not call with a key");
    return actor;
  }
  const actor = proxyUser ? actorFromProxy(ctx, proxyUser) : fromCookie(call);
  if (isWrite(request.method) && !wasMeant(request)) {
    throw unauthenticated("Send Content-Type: application/json or X-Requested-With: XMLHttpRequest");
  }
  return actor ?? anonymous;
}

/** The key of an Authorization header, whose scheme is exact. */
function keyOf(authorization: string): string {
  const match = /^Bearer (\S+)$/.exec(authorization);
  if (!match?.[1]) throw unauthenticated("The Authorization header must read: Bearer <API key>");
  return match[1];
}

function fromCookie(call: Call): Actor | null {
  const token = readSessionCookie(call.request);
  return token && !isForeign(call) ? actorFromSession(call.ctx, token) : null;
}

const isWrite = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS";

/** A plain form of a foreign page can send neither of these. */
function wasMeant({ headers }: Request): boolean {
  const type = headers.get("content-type") ?? "";
  return /^application\/json\b/i.test(type) || headers.get("x-requested-with") === "XMLHttpRequest";
}

function isForeign({ request, origin, config }: Call): boolean {
  const from = request.headers.get("origin");
  return from !== null && from !== origin && !config.corsOrigins.includes(from);
}

const METHODS = "GET, PATCH, PUT, POST, DELETE, OPTIONS";
const HEADERS = "Authorization, Content-Type, X-Requested-With";

/** What a browser needs to hear about a request from another origin; nothing for all others. */
export function corsHeaders({ request, origin, config }: Call): Record<string, string> | null {
  const from = request.headers.get("origin");
  if (from === null || from === origin) return null;
  const known = config.corsOrigins.includes(from);
  return {
    "Access-Control-Allow-Origin": known ? from : "*",
    "Access-Control-Allow-Methods": METHODS,
    "Access-Control-Allow-Headers": known ? HEADERS : "Content-Type, X-Requested-With",
    "Access-Control-Expose-Headers": "ETag, X-Request-Id, Retry-After",
    Vary: "Origin",
  };
}

import { anonymous, type Actor } from "../access.ts";
import type { Config } from "../config.ts";
import { forbidden, unauthenticated } from "../errors.ts";
import { actorFromKey, actorFromProxy, actorFromSession } from "../services/actors.ts";
import type { Context } from "../services/context.ts";
import { cookie, SESSION_COOKIE } from "./cookies.ts";

export interface Caller {
  readonly request: Request;
  /** The address the connection comes from. */
  readonly peer: string;
  /** `scheme://host` of the server itself, as this request addresses it. */
  readonly origin: string;
}

/**
 * Who is calling: by key, else as the reverse proxy says, else by session; else nobody.
 * @throws AppError `unauthenticated` for a key that is not good, and for writes of a browser that a foreign page could
 *   have sent; `forbidden` for a key in a foreign page's request
 */
export function identify(ctx: Context, config: Config, caller: Caller): Actor {
  const { request } = caller;
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const actor = actorFromKey(ctx, keyOf(authorization));
    if (isForeign(caller, config)) throw forbidden("Pages of other origins may not call with a key");
    return actor;
  }
  const actor = forwarded(ctx, config, caller) ?? fromCookie(ctx, caller, config);
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

function forwarded(ctx: Context, config: Config, { request, peer }: Caller): Actor | null {
  if (!config.forwardAuthHeader || !config.trustedProxies.some((network) => network.contains(peer))) return null;
  const email = request.headers.get(config.forwardAuthHeader);
  return email ? actorFromProxy(ctx, email) : null;
}

function fromCookie(ctx: Context, caller: Caller, config: Config): Actor | null {
  const token = cookie(caller.request, SESSION_COOKIE);
  if (!token || isForeign(caller, config)) return null;
  return actorFromSession(ctx, token);
}

const isWrite = (method: string): boolean => method !== "GET" && method !== "HEAD" && method !== "OPTIONS";

/** A plain form of a foreign page can send neither of these. */
function wasMeant({ headers }: Request): boolean {
  const type = headers.get("content-type") ?? "";
  return /^application\/json\b/i.test(type) || headers.get("x-requested-with") === "XMLHttpRequest";
}

function isForeign({ request, origin }: Caller, config: Config): boolean {
  const from = request.headers.get("origin");
  return from !== null && from !== origin && !config.corsOrigins.includes(from);
}

const METHODS = "GET, PATCH, PUT, POST, DELETE, OPTIONS";
const HEADERS = "Authorization, Content-Type, X-Requested-With";

/** What a browser needs to hear about a request from another origin; nothing for all others. */
export function corsHeaders({ request, origin }: Caller, config: Config): Record<string, string> | null {
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

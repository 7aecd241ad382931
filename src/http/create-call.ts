import { anonymous } from "../authorization.ts";
import type { Config } from "../config.ts";
import type { Context } from "../services/context.ts";
import type { Call, RequestServices } from "./call.ts";
import { resolveTarget } from "./paths.ts";
import { validHost } from "./request-url.ts";

export interface CallOptions {
  /** The address the connection comes from. */
  readonly peer: string;
  readonly ctx: Context;
  readonly config: Config;
  readonly services: RequestServices;
  /** Spells the fixed segments of a path as the routes' templates do. */
  readonly canonicalPath: (path: string) => string;
}

/** Resolves what a request says: site, path, address of the client. `x-forwarded-…` counts from trusted proxies only. */
export function createCall(request: Request, { peer, ctx, config, services, canonicalPath }: CallOptions): Call {
  const { url, headers } = request;
  // Cheaper than a URL object: "scheme://host/path?search".
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const searchStart = url.indexOf("?", pathStart);
  const rawPath = searchStart < 0 ? url.slice(pathStart) : url.slice(pathStart, searchStart);
  const isTrustedProxy = config.trustedProxies.length > 0 && config.trustedProxies.some((n) => n.contains(peer));
  const forwardedHost = isTrustedProxy ? validHost(headers.get("x-forwarded-host")) : null;
  const scheme = (isTrustedProxy && headers.get("x-forwarded-proto")) || url.slice(0, url.indexOf(":"));
  const host = forwardedHost ?? validHost(headers.get("host"));
  const target = resolveTarget(rawPath, host, config);
  return {
    request,
    requestId: nextRequestId(),
    peer,
    address: (isTrustedProxy && headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()) || peer,
    proxyUser: (isTrustedProxy && config.forwardAuthHeader && headers.get(config.forwardAuthHeader)) || null,
    path: canonicalPath(target.path),
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
    scope: target.scope,
    origin: host ? `${scheme}://${host}` : url.slice(0, pathStart),
    actor: anonymous,
    ctx,
    config,
    services,
    accounting: { bufferedBodyBytes: 0, extendDeadline() {} },
  };
}

const PROCESS_PREFIX = Math.floor(Math.random() * 36 ** 6).toString(36);
let requestCounter = 0;
/** Short, unique within an installation for all practical purposes: a random part of the process and a count. */
const nextRequestId = (): string => `${PROCESS_PREFIX}-${(++requestCounter).toString(36)}`;

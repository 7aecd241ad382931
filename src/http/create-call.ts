import { anonymous } from "../access.ts";
import type { Config } from "../config.ts";
import type { Context } from "../services/context.ts";
import type { Call, RequestServices } from "./call.ts";
import { targetOf } from "./path.ts";
import { validHost } from "./request-address.ts";

export interface CallOptions {
  /** The address the connection comes from. */
  readonly peer: string;
  readonly ctx: Context;
  readonly config: Config;
  readonly services: RequestServices;
  /** Spells the fixed segments of a path as the routes' templates do. */
  readonly canonical: (path: string) => string;
}

/** Resolves what a request says: site, path, address of the client. `x-forwarded-…` counts from trusted proxies only. */
export function createCall(request: Request, { peer, ctx, config, services, canonical }: CallOptions): Call {
  const { url, headers } = request;
  // Cheaper than a URL object: "scheme://host/path?search".
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const searchStart = url.indexOf("?", pathStart);
  const rawPath = searchStart < 0 ? url.slice(pathStart) : url.slice(pathStart, searchStart);
  const trusted = config.trustedProxies.length > 0 && config.trustedProxies.some((n) => n.contains(peer));
  const forwardedHost = trusted ? validHost(headers.get("x-forwarded-host")) : null;
  const scheme = (trusted && headers.get("x-forwarded-proto")) || url.slice(0, url.indexOf(":"));
  const host = forwardedHost ?? validHost(headers.get("host"));
  const target = targetOf(rawPath, host, config);
  return {
    request,
    requestId: requestId(),
    peer,
    address: (trusted && headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()) || peer,
    proxyUser: (trusted && config.forwardAuthHeader && headers.get(config.forwardAuthHeader)) || null,
    path: canonical(target.path),
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
    scope: target.scope,
    origin: host ? `${scheme}://${host}` : url.slice(0, pathStart),
    actor: anonymous,
    ctx,
    config,
    services,
    accounting: { bodyBytes: 0, takeTime() {} },
  };
}

const STARTED = Math.floor(Math.random() * 36 ** 6).toString(36);
let counter = 0;
/** Short, unique within an installation for all practical purposes: a random part of the process and a count. */
const requestId = (): string => `${STARTED}-${(++counter).toString(36)}`;

import { anonymous } from "../authorization.ts";
import type { Config } from "../config.ts";
import type { ReceivedHop } from "../services/cluster.ts";
import type { Context } from "../services/context.ts";
import type { Call, RequestFacts, RequestServices } from "./call.ts";
import { resolveTarget } from "./paths.ts";
import { validHost } from "./request-url.ts";

export interface CallOptions {
  /** The address of the TCP connection. */
  readonly peer: string;
  readonly ctx: Context;
  readonly config: Config;
  readonly services: RequestServices;
  /** Normalises the case of a path's fixed segments to that of the route templates. */
  readonly canonicalPath: (path: string) => string;
}

/**
 * Resolves a request: site, path, address of the client. `x-forwarded-…` headers are used only from trusted proxies.
 */
export function createCall(request: Request, { peer, ctx, config, services, canonicalPath }: CallOptions): Call {
  const { url, headers } = request;
  // Faster than a URL object: "scheme://host/path?search".
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const searchStart = url.indexOf("?", pathStart);
  const rawPath = searchStart < 0 ? url.slice(pathStart) : url.slice(pathStart, searchStart);
  const isTrustedProxy = config.trustedProxies.length > 0 && config.trustedProxies.some((n) => n.contains(peer));
  const forwardedHost = isTrustedProxy ? validHost(headers.get("x-forwarded-host")) : null;
  const scheme = (isTrustedProxy && headers.get("x-forwarded-proto")) || url.slice(0, url.indexOf(":"));
  const host = forwardedHost ?? validHost(headers.get("host"));
  const hop = ctx.cluster?.receive(request) ?? null;
  const client = isHop(hop)
    ? hop
    : {
        requestId: nextRequestId(),
        address: (isTrustedProxy && headers.get("x-forwarded-for")?.split(",").at(-1)?.trim()) || peer,
        proxyUser: (isTrustedProxy && config.forwardAuthHeader && headers.get(config.forwardAuthHeader)) || null,
        host,
        origin: host ? `${scheme}://${host}` : url.slice(0, pathStart),
      };
  const target = resolveTarget(rawPath, client.host, config);
  return {
    request,
    requestId: client.requestId,
    peer,
    address: client.address,
    proxyUser: client.proxyUser,
    path: canonicalPath(target.path),
    search: searchStart < 0 ? "" : url.slice(searchStart + 1),
    scope: target.scope,
    origin: client.origin,
    host: client.host,
    hop,
    actor: anonymous,
    ctx,
    config,
    services,
    accounting: { bufferedBodyBytes: 0, extendDeadline() {} },
  };
}

const isHop = (hop: RequestFacts["hop"]): hop is ReceivedHop => hop !== null && typeof hop === "object";

const PROCESS_PREFIX = Math.floor(Math.random() * 36 ** 6).toString(36);
let requestCounter = 0;
/** Returns a short id, unique within an installation in practice: a random prefix of the process and a counter. */
const nextRequestId = (): string => `${PROCESS_PREFIX}-${(++requestCounter).toString(36)}`;

/** Tells requests of our own pages from those of other sites, by the headers that browsers add. */

/** A request, and the addresses that this server is reached by. */
export interface RequestWithOrigin {
  readonly request: Request;
  /** `scheme://host` as the request addresses the server. */
  readonly origin: string;
  readonly config: { readonly publicUrl: string | null };
}

/**
 * True for an origin of this server. A reverse proxy that is not trusted may have terminated TLS, so the origin of the
 * configured public URL counts too.
 */
export const isSameOrigin = (requestOrigin: string, { origin, config }: Omit<RequestWithOrigin, "request">): boolean =>
  requestOrigin === origin || (config.publicUrl !== null && requestOrigin === new URL(config.publicUrl).origin);

/** True when a page of another origin sent the request. Browsers omit `Origin` on some reads; see `isCrossSite`. */
export function isCrossOrigin(call: RequestWithOrigin): boolean {
  const requestOrigin = call.request.headers.get("origin");
  return requestOrigin !== null && !isSameOrigin(requestOrigin, call);
}

/**
 * True when a browser would withhold a SameSite=Lax cookie: images, scripts and frames of other sites send no `Origin`
 * header, but `Sec-Fetch-*`. Following a link from another site is fine.
 */
export function isCrossSite({ headers, method }: Request): boolean {
  if (headers.get("sec-fetch-site") !== "cross-site") return false;
  const isNavigation = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return !isNavigation || (method !== "GET" && method !== "HEAD");
}

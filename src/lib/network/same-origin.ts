/** Same-origin checks (CSRF protection), by the headers that browsers add. */

/** A request, and the addresses of this server. */
export interface RequestWithOrigin {
  readonly request: Request;
  /** `scheme://host` of the request URL. */
  readonly origin: string;
  readonly config: { readonly publicUrl: string | null };
}

/**
 * Returns true for an origin of this server. An untrusted reverse proxy may have terminated TLS, so the origin of the
 * configured public URL is accepted too.
 */
export const isSameOrigin = (requestOrigin: string, { origin, config }: Omit<RequestWithOrigin, "request">): boolean =>
  requestOrigin === origin || (config.publicUrl !== null && requestOrigin === new URL(config.publicUrl).origin);

/**
 * Returns true when a page of another origin sent the request. Browsers omit `Origin` on some reads; see `isCrossSite`.
 */
export function isCrossOrigin(call: RequestWithOrigin): boolean {
  const requestOrigin = call.request.headers.get("origin");
  return requestOrigin !== null && !isSameOrigin(requestOrigin, call);
}

/**
 * Returns true when a browser would withhold a SameSite=Lax cookie: images, scripts and frames of other sites send no
 * `Origin` header, but `Sec-Fetch-*`. Top-level navigation from another site is allowed.
 */
export function isCrossSite({ headers, method }: Request): boolean {
  if (headers.get("sec-fetch-site") !== "cross-site") return false;
  const isNavigation = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return !isNavigation || (method !== "GET" && method !== "HEAD");
}

/** Tells requests of our own pages from those of other sites, by the headers that browsers add. */

/** A request, and the addresses that this server is reached by. */
export interface AddressedRequest {
  readonly request: Request;
  /** `scheme://host` as the request addresses the server. */
  readonly origin: string;
  readonly config: { readonly publicUrl: string | null };
}

/**
 * True for an origin of this server. A reverse proxy that is not trusted may have terminated TLS, so the origin of the
 * configured public URL counts too.
 */
export const isOwnOrigin = (from: string, { origin, config }: Omit<AddressedRequest, "request">): boolean =>
  from === origin || (config.publicUrl !== null && from === new URL(config.publicUrl).origin);

/** True when a page of another origin sent the request. Browsers omit `Origin` on some reads; see `isCrossSite`. */
export function isCrossOrigin(call: AddressedRequest): boolean {
  const from = call.request.headers.get("origin");
  return from !== null && !isOwnOrigin(from, call);
}

/**
 * True when a browser would withhold a SameSite=Lax cookie: images, scripts and frames of other sites send no `Origin`
 * header, but `Sec-Fetch-*`. Following a link from another site is fine.
 */
export function isCrossSite({ headers, method }: Request): boolean {
  if (headers.get("sec-fetch-site") !== "cross-site") return false;
  const isLink = headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  return !isLink || (method !== "GET" && method !== "HEAD");
}

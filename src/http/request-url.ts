/** The host and path that a request addresses, even if its Host header is missing or invalid. */
import { AppError } from "../errors.ts";

/** The characters of a host and a port in RFC 3986, without the comma. */
const HOST = /^[\w.~!$&'()*+;=%:[\]-]+$/;

/** Returns the host, or null when it is missing or invalid. */
export const validHost = (host: string | null): string | null =>
  host !== null && HOST.test(host) && URL.canParse(`http://${host}`) ? host : null;

/** The origin of requests without a valid host; reserved by RFC 2606. */
const PLACEHOLDER_ORIGIN = "http://host.invalid";

/**
 * Returns the request with an absolute URL. Bun gives requests without a valid Host header, such as health checks by
 * HTTP/1.0, a URL that is only a path or that cannot be parsed.
 */
export function withAbsoluteUrl(request: Request): Request {
  const { url } = request;
  if (url.startsWith("/")) return new Request(`${PLACEHOLDER_ORIGIN}${url}`, request);
  if (URL.canParse(url)) return request;
  return new Request(`${PLACEHOLDER_ORIGIN}${url.slice(url.indexOf("/", url.indexOf("//") + 2))}`, request);
}

/**
 * Refuses two Host headers, which Bun joins with a comma: a proxy may have routed by the other one.
 * @throws AppError `invalid`
 */
export function requireSingleHost({ headers }: Request): void {
  if (headers.get("host")?.includes(","))
    throw new AppError("request.host", "The request must have exactly one Host header");
}

/** True when the client closes the connection after the response. */
export const closesConnection = ({ headers }: Request): boolean =>
  headers
    .get("connection")
    ?.toLowerCase()
    .split(",")
    .some((option) => option.trim() === "close") ?? false;

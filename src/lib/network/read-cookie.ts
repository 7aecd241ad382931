import { parse } from "hono/utils/cookie";

/** Returns the value of a cookie of a request; null if it has none, or an empty one. */
export function readCookie(request: Request, name: string): string | null {
  const header = request.headers.get("cookie");
  return (header && parse(header, name)[name]) || null;
}

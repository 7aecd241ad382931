import { parse, serialize } from "hono/utils/cookie";

/** The cookie by which a browser shows which accounts it has signed in to: HttpOnly, and only sent to the page of signing in. */

const COOKIE_NAME = "quern_device";
const MAX_AGE_S = 365 * 24 * 60 * 60;

/** Returns the value of the cookie of a request, or null. */
export function readDeviceCookie(request: Request): string | null {
  const header = request.headers.get("cookie");
  return (header && parse(header, COOKIE_NAME)[COOKIE_NAME]) || null;
}

/** Returns a Set-Cookie header with the value. `secure` when the site is served over https. */
export const serializeDeviceCookie = (value: string, { secure }: { secure: boolean }): string =>
  serialize(COOKIE_NAME, value, { path: "/sign-in", httpOnly: true, sameSite: "Lax", maxAge: MAX_AGE_S, secure });

import { serialize } from "hono/utils/cookie";
import { readCookie } from "./read-cookie.ts";

/**
 * The cookie by which a browser shows which accounts it has signed in to: HttpOnly. Sent to all pages: sessions also begin on
 * those of invitations and password resets, which must not forget the other accounts.
 */

const COOKIE_NAME = "quern_device";
const MAX_AGE_S = 365 * 24 * 60 * 60;

/** Returns the value of the cookie of a request, or null. */
export const readDeviceCookie = (request: Request): string | null => readCookie(request, COOKIE_NAME);

/** Returns a Set-Cookie header with the value. `secure` when the site is served over https. */
export const serializeDeviceCookie = (value: string, { secure }: { secure: boolean }): string =>
  serialize(COOKIE_NAME, value, { path: "/", httpOnly: true, sameSite: "Lax", maxAge: MAX_AGE_S, secure });

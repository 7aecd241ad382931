import { serialize } from "hono/utils/cookie";
import { readCookie } from "./read-cookie.ts";

/** The session cookie of the pages: HttpOnly, and SameSite=Lax against forms of other sites. */

const COOKIE_NAME = "quern_session";

/** Returns the session token of a request, or null. */
export const readSessionCookie = (request: Request): string | null => readCookie(request, COOKIE_NAME);

/** Returns a Set-Cookie header with the token. `secure` when the site is served over https. */
export const serializeSessionCookie = (
  token: string,
  { maxAgeS, secure }: { maxAgeS: number; secure: boolean },
): string => serialize(COOKIE_NAME, token, { path: "/", httpOnly: true, sameSite: "Lax", maxAge: maxAgeS, secure });

/** Returns a Set-Cookie header that deletes the cookie. */
export const clearSessionCookie = (): string =>
  serialize(COOKIE_NAME, "", { path: "/", httpOnly: true, sameSite: "Lax", maxAge: 0 });

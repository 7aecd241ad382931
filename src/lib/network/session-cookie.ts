import { parse, serialize } from "hono/utils/cookie";

/** The cookie that keeps people signed in on the pages; scripts cannot read it, other sites' forms do not send it. */

const COOKIE_NAME = "quern_session";

/** The session's token in a request, or null. */
export function readSessionCookie(request: Request): string | null {
  const header = request.headers.get("cookie");
  return (header && parse(header, COOKIE_NAME)[COOKIE_NAME]) || null;
}

/** A Set-Cookie header that keeps the token. `secure` where the site is reached by https. */
export const serializeSessionCookie = (
  token: string,
  { maxAgeS, secure }: { maxAgeS: number; secure: boolean },
): string => serialize(COOKIE_NAME, token, { path: "/", httpOnly: true, sameSite: "Lax", maxAge: maxAgeS, secure });

/** A Set-Cookie header that drops it. */
export const clearSessionCookie = (): string =>
  serialize(COOKIE_NAME, "", { path: "/", httpOnly: true, sameSite: "Lax", maxAge: 0 });

import { serialize } from "hono/utils/cookie";
import { readCookie } from "./read-cookie.ts";

/**
 * Short-lived cookies of a sign-in, or of a change of factors, in progress: HttpOnly, and their values are sealed. `pending`
 * is a sign-in that lacks the second factor, `passkey` a challenge, `enrolment` the secret of a new authenticator app,
 * `confirmed` a recent password or code.
 */
export type FactorCookie = "pending" | "passkey" | "enrolment" | "confirmed";

const nameOf = (cookie: FactorCookie): string => `quern_${cookie}`;

/** Returns the value of a cookie of a request, or null. */
export const readFactorCookie = (request: Request, cookie: FactorCookie): string | null =>
  readCookie(request, nameOf(cookie));

/** Returns a Set-Cookie header with the value. `secure` when the site is served over https. */
export const serializeFactorCookie = (
  cookie: FactorCookie,
  value: string,
  { maxAgeS, secure }: { maxAgeS: number; secure: boolean },
): string => serialize(nameOf(cookie), value, { path: "/", httpOnly: true, sameSite: "Lax", maxAge: maxAgeS, secure });

/** Returns a Set-Cookie header that deletes a cookie. */
export const clearFactorCookie = (cookie: FactorCookie): string =>
  serialize(nameOf(cookie), "", { path: "/", httpOnly: true, sameSite: "Lax", maxAge: 0 });

import { serialize } from "hono/utils/cookie";
import { readCookie } from "./read-cookie.ts";

/** The cookie of visitors who upload files for an answer to a form: only they may use the files. */

const COOKIE_NAME = "quern_form";

/** As long as uploads can be used. */
const MAX_AGE_S = 24 * 3600;

/** Returns the secret of a visitor, or null. */
export const readFormCookie = (request: Request): string | null => readCookie(request, COOKIE_NAME);

/** Returns a Set-Cookie header with the secret. `secure` when the site is served over https. */
export const serializeFormCookie = (secret: string, { secure }: { secure: boolean }): string =>
  serialize(COOKIE_NAME, secret, { path: "/", httpOnly: true, sameSite: "Lax", maxAge: MAX_AGE_S, secure });

import { createHmac, timingSafeEqual } from "node:crypto";
import { randomHex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";

/**
 * Browsers that have signed in to an account show it with a signed cookie, so that attempts of other browsers do not
 * delay them. The cookie names accounts by their ids; it does not sign anyone in.
 */

/** A browser can have signed in to so many accounts; the oldest are left out. */
const MAX_ACCOUNTS = 5;

/** `<user id>.<random id>.<signature>` for each account, the newest first. */
const SEPARATOR = "~";

/**
 * Returns the id that an account has given to the browser; null if the cookie has none for it, or a wrong signature.
 * @param cookie the value of the cookie
 */
export function knownDevice(ctx: Context, userId: number, cookie: string | null): string | null {
  for (const entry of entriesOf(cookie)) {
    const [user, id = "", signature = ""] = entry.split(".");
    if (user !== String(userId)) continue;
    const expected = sign(ctx, userId, id);
    if (expected !== null && isEqual(expected, signature)) return id;
  }
  return null;
}

/** Returns the cookie of a browser that has signed in to an account; null on a node that has no secret yet. */
export function rememberDevice(ctx: Context, userId: number, cookie: string | null): string | null {
  const id = knownDevice(ctx, userId, cookie) ?? randomHex(8);
  const signature = sign(ctx, userId, id);
  if (signature === null) return null;
  const others = entriesOf(cookie).filter((entry) => !entry.startsWith(`${userId}.`));
  return [`${userId}.${id}.${signature}`, ...others].slice(0, MAX_ACCOUNTS).join(SEPARATOR);
}

const entriesOf = (cookie: string | null): string[] =>
  cookie === null ? [] : cookie.split(SEPARATOR).slice(0, MAX_ACCOUNTS);

function sign({ home }: Context, userId: number, id: string): string | null {
  const secret = home.secrets.find("device");
  return secret && createHmac("sha256", secret).update(`${userId}.${id}`).digest("base64url");
}

function isEqual(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

import type { UserActor } from "../../authorization.ts";
import { forbidden, notFound, unauthenticated } from "../../errors.ts";
import type { Caller } from "../../home/callers.ts";
import type { User } from "../../home/users.ts";
import { isEmail, normaliseEmail } from "../../lib/text/email.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { type RequestWithOrigin, isCrossOrigin, isCrossSite } from "../../lib/network/same-origin.ts";
import { readSessionCookie } from "../../lib/network/session-cookie.ts";
import type { Context } from "../context.ts";
import type { CachedCaller } from "./identity.ts";
import { findOrInvite } from "./users.ts";

/** A session ends when it was not used for this long. */
export const SESSION_IDLE_TIMEOUT_MS = 30 * 24 * 60 * 60 * 1000;
/** A session's end is moved at most this often. */
const SESSION_RENEWAL_INTERVAL_MS = 24 * 60 * 60 * 1000;

/**
 * Who calls with an API key.
 * @throws AppError `unauthenticated` when the key is unknown, removed or expired; `forbidden` when its user, or the
 *   owner of its service account, is disabled
 */
export function actorFromKey(ctx: Context, key: string): UserActor {
  // Whatever is no key of ours need not be looked for.
  const hash = /^[0-9a-f]{40}$/.test(key) ? sha256Hex(key) : null;
  const cached = hash && ctx.identity.callers.get(`key ${hash}`, () => lookUpByKey(ctx, hash));
  if (!cached) throw unauthenticated("The API key is wrong or was removed", "auth.key_invalid");
  if (cached.expiresAt !== null && cached.expiresAt <= ctx.clock.now())
    throw unauthenticated("The API key has expired", "auth.key_expired");
  if (cached.isDisabled) throw forbidden("The user is disabled", "access.user_disabled");
  ctx.identity.lastUses.record(cached);
  return cached.actor;
}

/**
 * Who calls with the token of a session's cookie; null when the session is over. Moves the session's end.
 */
export function actorFromSession(ctx: Context, token: string): UserActor | null {
  const hash = sha256Hex(token);
  const cached = ctx.identity.callers.get(`session ${hash}`, () => lookUpBySession(ctx, hash));
  const now = ctx.clock.now();
  if (!cached || cached.expiresAt === null || cached.expiresAt <= now) return null;
  if (cached.expiresAt < now + SESSION_IDLE_TIMEOUT_MS - SESSION_RENEWAL_INTERVAL_MS) {
    ctx.identity.lastUses.extendSession(cached, hash, now + SESSION_IDLE_TIMEOUT_MS);
  }
  return cached.actor;
}

/**
 * Who calls according to a reverse proxy that is trusted. An address that is new becomes a user; who was only invited
 * so far gets the name, or what stands before the @.
 * @throws AppError `unauthenticated` when it is not an address, or the user is disabled
 */
export function actorFromProxy(ctx: Context, email: string, name?: string): UserActor {
  if (!isEmail(email)) throw unauthenticated("The proxy named no valid e-mail address");
  const cached = ctx.identity.callers.get(`proxy ${normaliseEmail(email)}`, () => {
    const user = signInByEmail(ctx, email, name);
    return { actor: actorOf(user, "proxy"), isDisabled: false, expiresAt: null, keyId: null, lastUsedAt: null };
  });
  if (!cached) throw unauthenticated("The user is unknown");
  return cached.actor;
}

export interface BrowserRequest extends RequestWithOrigin {
  /** The e-mail address that a trusted reverse proxy names. */
  readonly proxyUser: string | null;
}

/**
 * Returns the person whom a reverse proxy or a session's cookie names, or null. Both come with every request of the
 * person's browser, so neither counts when a page of another origin sent it, even one that may call with a key.
 * @throws AppError `unauthenticated` as `actorFromProxy`
 */
export function actorFromBrowser(ctx: Context, call: BrowserRequest): UserActor | null {
  const { request, proxyUser } = call;
  if (isCrossOrigin(call)) return null;
  // Browsers withhold the cookie themselves where this is true.
  if (proxyUser !== null) return isCrossSite(request) ? null : actorFromProxy(ctx, proxyUser);
  const token = readSessionCookie(request);
  return token === null ? null : actorFromSession(ctx, token);
}

/**
 * The user in whose name a command acts.
 * @throws AppError `notFound`
 */
export function actorForCommand(ctx: Context, email: string): UserActor {
  const user = ctx.home.users.byEmail(email);
  if (!user || user.kind === "pseudo") throw notFound(`There is no user ${email}`, "user.not_found");
  return actorOf(user, "command");
}

function lookUpByKey(ctx: Context, hash: string): CachedCaller | null {
  const caller = ctx.home.callers.byKey(hash);
  if (!caller) return null;
  const { keyId, lastUsedAt, expiresAt, isDisabled } = caller;
  return { actor: { ...actorOf(caller, "key"), keyId }, isDisabled, keyId, lastUsedAt, expiresAt };
}

function lookUpBySession(ctx: Context, hash: string): CachedCaller | null {
  const caller = ctx.home.callers.bySession(hash);
  if (!caller || caller.isDisabled) return null;
  const { expiresAt } = caller;
  return { actor: actorOf(caller, "session"), isDisabled: false, keyId: null, lastUsedAt: null, expiresAt };
}

function signInByEmail(ctx: Context, email: string, name?: string): User {
  const existing = ctx.home.users.byEmail(email);
  if (existing && existing.kind !== "person") throw unauthenticated("Nobody signs in with this address");
  if (existing?.disabledAt) throw unauthenticated("The user is disabled");
  if (existing?.name) return existing;
  const displayName = name?.trim() || email.trim().replace(/@.*/, "");
  return ctx.home.transaction(() => {
    const user = findOrInvite(ctx, email);
    ctx.home.users.change(user.id, { name: displayName });
    return { ...user, name: displayName };
  });
}

const actorOf = (user: Caller | User, via: UserActor["via"]): UserActor => ({
  kind: "user",
  userId: "userId" in user ? user.userId : user.id,
  email: user.email,
  name: user.name,
  ref: user.ref,
  isAdmin: user.isAdmin,
  isService: user.kind === "service",
  via,
});

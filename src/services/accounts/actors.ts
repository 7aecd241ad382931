import type { UserActor } from "../../authorization.ts";
import { forbidden, notFound, unauthenticated } from "../../errors.ts";
import type { Caller } from "../../home/callers.ts";
import type { User } from "../../home/users.ts";
import { isEmail, normaliseEmail } from "../../lib/text/email.ts";
import { sha256Hex } from "../../lib/ids.ts";
import { type RequestWithOrigin, isCrossOrigin, isCrossSite } from "../../lib/network/same-origin.ts";
import { readSessionCookie } from "../../lib/network/session-cookie.ts";
import { parseNetwork } from "../../lib/network/networks.ts";
import type { Context } from "../context.ts";
import { limitsOf } from "../keys/limits.ts";
import type { CachedCaller } from "./identity.ts";
import { findOrInvite } from "./users.ts";

/** Sessions expire after this time without use. */
export const SESSION_IDLE_TIMEOUT_MS = 30 * 24 * 60 * 60 * 1000;
/** The expiry of a session is updated at most this often. */
const SESSION_RENEWAL_INTERVAL_MS = 60 * 60 * 1000;

/**
 * Returns the caller of an API key.
 * @param address the network address of the client; empty if unknown
 * @throws AppError `unauthenticated` if the key is unknown, revoked or expired; `forbidden` if its user, or the owner
 * of its service account, is disabled, or if the key is limited to other networks
 */
export function actorFromKey(ctx: Context, key: string, address = ""): UserActor {
  // Skips the lookup of texts that cannot be keys.
  const hash = /^[0-9a-f]{40}$/.test(key) ? sha256Hex(key) : null;
  const cached = hash && ctx.identity.callers.get(`key ${hash}`, () => lookUpByKey(ctx, hash));
  if (!cached) throw unauthenticated("The API key is invalid or was revoked", "auth.key_invalid");
  if (cached.expiresAt !== null && cached.expiresAt <= ctx.clock.now())
    throw unauthenticated("The API key has expired", "auth.key_expired");
  if (cached.isDisabled) throw forbidden("The user is disabled", "access.user_disabled");
  if (cached.networks && !cached.networks.some((network) => network.contains(address)))
    throw forbidden(`The API key cannot be used from the address ${address}`, "key.network");
  ctx.identity.lastUses.record(cached, address);
  return cached.actor;
}

/** Returns the caller of a session cookie's token, or null if the session has expired. Extends the session. */
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
 * Returns the caller that a trusted reverse proxy names. An unknown address creates a user; an invited user gets the
 * given name, or the local part of the address.
 * @throws AppError `unauthenticated` if it is not an address, or the user is disabled
 */
export function actorFromProxy(ctx: Context, email: string, name?: string): UserActor {
  if (!isEmail(email)) throw unauthenticated("The proxy did not send a valid email address");
  const cached = ctx.identity.callers.get(`proxy ${normaliseEmail(email)}`, () => {
    const user = signInByEmail(ctx, email, name);
    return { actor: actorOf(user, "proxy"), isDisabled: false, expiresAt: null, keyId: null };
  });
  if (!cached) throw unauthenticated("Unknown user");
  return cached.actor;
}

export interface BrowserRequest extends RequestWithOrigin {
  /** The email address that a trusted reverse proxy names. */
  readonly proxyUser: string | null;
}

/**
 * Returns the user that a reverse proxy or a session cookie names, or null. Browsers attach both to every request, so
 * neither counts for cross-site requests, even from origins that may use keys.
 * @throws AppError `unauthenticated` as `actorFromProxy`
 */
export function actorFromBrowser(ctx: Context, call: BrowserRequest): UserActor | null {
  const { request, proxyUser } = call;
  if (isCrossOrigin(call)) return null;
  // For these requests, browsers do not send the cookie.
  if (proxyUser !== null) return isCrossSite(request) ? null : actorFromProxy(ctx, proxyUser);
  const token = readSessionCookie(request);
  return token === null ? null : actorFromSession(ctx, token);
}

/** Tells whether a request signs a user in that a reverse proxy names for the first time, which writes home. */
export function needsNewUser(ctx: Context, { request, proxyUser }: BrowserRequest): boolean {
  if (proxyUser === null || !isEmail(proxyUser) || request.headers.has("authorization")) return false;
  return !ctx.home.users.byEmail(proxyUser)?.name;
}

/**
 * Returns the user that a command acts as.
 * @throws AppError `notFound`
 */
export function actorForCommand(ctx: Context, email: string): UserActor {
  const user = ctx.home.users.byEmail(email);
  if (!user || user.kind === "pseudo") throw notFound(`User ${email} not found`, "user.not_found");
  return actorOf(user, "command");
}

/**
 * Returns the caller of an earlier request, for work that continues without it.
 * @param keyId the API key of that request; null for a session
 * @throws AppError `forbidden` if the user was disabled or deleted, or the key was revoked or has expired
 */
export function actorOfEarlierRequest(ctx: Context, userId: number, keyId: number | null): UserActor {
  const caller = ctx.home.callers.byId(userId, keyId);
  if (!caller) throw forbidden("The user was deleted, or the API key was revoked");
  if (caller.isDisabled) throw forbidden("The user is disabled", "access.user_disabled");
  if (caller.expiresAt !== null && caller.expiresAt <= ctx.clock.now()) throw forbidden("The API key has expired");
  if (keyId === null) return actorOf(caller, "session");
  const limits = limitsOf(caller);
  return { ...actorOf(caller, "key"), keyId, ...(limits && { limits }) };
}

function lookUpByKey(ctx: Context, hash: string): CachedCaller | null {
  const caller = ctx.home.callers.byKey(hash);
  if (!caller) return null;
  const { keyId, expiresAt, isDisabled } = caller;
  const limits = limitsOf(caller);
  const actor: UserActor = { ...actorOf(caller, "key"), keyId, ...(limits && { limits }) };
  const networks = limits?.networks?.map(parseNetwork);
  return { actor, isDisabled, keyId, expiresAt, ...(networks && { networks }) };
}

function lookUpBySession(ctx: Context, hash: string): CachedCaller | null {
  const caller = ctx.home.callers.bySession(hash);
  if (!caller || caller.isDisabled) return null;
  const { expiresAt } = caller;
  return { actor: actorOf(caller, "session"), isDisabled: false, keyId: null, expiresAt };
}

function signInByEmail(ctx: Context, email: string, name?: string): User {
  const existing = ctx.home.users.byEmail(email);
  if (existing && existing.kind !== "person") throw unauthenticated("This user cannot sign in");
  if (existing?.disabledAt) throw unauthenticated("The user is disabled");
  if (existing?.name) return existing;
  const displayName = name?.trim() || email.trim().replace(/@.*/, "");
  return ctx.home.transaction(() => {
    const user = findOrInvite(ctx, email, "server");
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

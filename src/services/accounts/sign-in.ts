import { anonymous, type UserGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid, unauthenticated } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { BackoffLimiter } from "../../lib/concurrency/backoff-limiter.ts";
import type { RateLimiter } from "../../lib/concurrency/rate-limiter.ts";
import { networkPrefixOf } from "../../lib/network/networks.ts";
import type { AuditDetails } from "../../home/identity/audit-log.ts";
import { auditActorOf, recordAudit, recordFailure } from "../audit/record-audit.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "./actors.ts";
import type { Context } from "../context.ts";
import { knownDevice, rememberDevice } from "./known-devices.ts";
import { hashPassword, requirePasswords, verifyPassword } from "./passwords.ts";

/** The browser that a session is started for. */
export interface Browser {
  /** The client's address. */
  readonly address: string;
  readonly userAgent: string;
  /** The value of the cookie that names accounts it has signed in to; see `known-devices.ts`. */
  readonly device: string | null;
}

export interface Credentials extends Browser {
  email: string;
  password: string;
}

/** A new session. */
export interface NewSession {
  readonly userId: number;
  /** The token for the cookie; it is not stored. */
  readonly token: string;
  /** The new value of the cookie `Browser.device`; null to leave it. */
  readonly device: string | null;
}

/** Of a User-Agent header; common ones have 150 characters. */
const MAX_USER_AGENT = 500;

/**
 * Returns the user with this email address and password, for whom no session begins. An unknown address, a wrong password
 * and a disabled user take the same time and get the same response.
 * @throws AppError `unauthenticated`; `tooMany` after too many attempts from the address or for the account
 */
export async function verifyCredentials(ctx: Context, { email, password, ...browser }: Credentials): Promise<User> {
  requirePasswords(ctx);
  const account = normaliseEmail(email).slice(0, 254);
  const user = ctx.home.users.byEmail(account);
  const device = user && knownDevice(ctx, user.id, browser.device);
  const endAttempts = countAttempt(ctx, { account, userId: user?.id, address: browser.address, device });
  const hash = user && ctx.home.passwords.get(user.id);
  const isCorrect = await verifyPassword(ctx, password, hash);
  if (!isCorrect || !user || user.disabledAt !== null || user.kind !== "person") {
    recordFailedSignIn(ctx, { userId: user?.id, address: browser.address, reason: "credentials" });
    throw unauthenticated("The email address or the password is wrong", "auth.credentials");
  }
  endAttempts();
  return user;
}

/** Records a failure of any way to sign in. The log never contains the text of an unknown account. */
export function recordFailedSignIn(
  ctx: Context,
  { userId, address, ...details }: { userId: number | undefined; address: string; reason: string },
): void {
  recordFailure(ctx, {
    event: "sign_in.failed",
    actor: anonymous,
    address,
    ...(userId !== undefined && { userId }),
    details,
  });
}

/**
 * Starts a session for an authenticated user: the only place where sessions begin. Must be called in a transaction.
 * @param details of the entry in the audit log: `method` tells how the user was authenticated
 */
export function startSession(
  ctx: Context,
  userId: number,
  { address, userAgent, device }: Browser,
  details: AuditDetails & { readonly method: string } = { method: "password" },
): NewSession {
  recordAudit(ctx, { event: "session.started", actor: auditActorOf(ctx, userId, address), userId, details });
  const token = randomHex(32);
  ctx.home.sessions.removeExpired();
  ctx.home.sessions.add({
    hash: sha256Hex(token),
    userId,
    expiresAt: ctx.clock.now() + SESSION_IDLE_TIMEOUT_MS,
    publicId: randomHex(8),
    userAgent: userAgent.slice(0, MAX_USER_AGENT),
    address,
  });
  return { userId, token, device: rememberDevice(ctx, userId, device) };
}

/** Ends the session of a token. Idempotent. */
export function signOut(ctx: Context, token: string, address = ""): void {
  const hash = sha256Hex(token);
  ctx.home.transaction(() => {
    const caller = ctx.home.callers.bySession(hash);
    if (!caller) return;
    ctx.home.sessions.remove(hash);
    const { userId } = caller;
    recordAudit(ctx, { event: "session.ended", actor: auditActorOf(ctx, userId, address), userId });
  });
}

export interface PasswordChange {
  /** The current password; not required from users without one. */
  current?: string;
  newPassword: string;
  /** Token of the session to keep; all others end. */
  currentToken: string | null;
}

/**
 * Changes the caller's password and ends their other sessions.
 * @throws AppError `forbidden` for callers with a key, and if the current password is wrong; `invalid` for a new
 * password of invalid length; `tooMany`
 */
export async function changePassword(ctx: Context, grant: UserGrant, change: PasswordChange): Promise<void> {
  const { actor } = grant;
  requirePasswords(ctx);
  // A key leaks more easily than a session, and must not be enough to take over the account.
  if (actor.via === "key" || actor.isService)
    throw forbidden("The password can be changed on the account page only, not with an API key");
  const before = ctx.home.passwords.get(actor.userId);
  if (before !== null) {
    const attempt = `user ${actor.userId}`;
    const waitMs = ctx.identity.attempts.byDevice.take(attempt, ctx.clock.elapsed());
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    if (!(await verifyPassword(ctx, change.current ?? "", before))) {
      recordFailure(ctx, { event: "password.change_failed", actor, userId: actor.userId });
      throw forbidden("The current password is wrong");
    }
    ctx.identity.attempts.byDevice.clear(attempt);
  }
  const hash = await hashPassword(ctx, change.newPassword);
  ctx.home.transaction(() => {
    if (ctx.home.passwords.get(actor.userId) !== before)
      throw invalid("The password was changed concurrently; try again");
    ctx.home.passwords.set(actor.userId, hash);
    ctx.home.tokens.removeOf(actor.userId, "password-reset");
    ctx.home.sessions.removeOf(actor.userId, change.currentToken === null ? null : sha256Hex(change.currentToken));
    recordAudit(ctx, { event: "password.changed", actor, userId: actor.userId });
  });
}

interface Attempt {
  readonly account: string;
  readonly userId: number | undefined;
  readonly address: string;
  /** The id of a browser that has signed in to the account before. */
  readonly device: string | null;
}

/**
 * Counts an attempt before the password is verified, so that concurrent attempts cannot exceed the limit. Returns a function
 * that forgets the attempts of the account, or of the browser if it has an id, once the password was right.
 * @throws AppError `tooMany`
 */
function countAttempt(ctx: Context, { account, userId, address, device }: Attempt): () => void {
  const { byAddress, byAccount, byDevice } = ctx.identity.attempts;
  const now = ctx.clock.elapsed();
  const take = (limiter: RateLimiter | BackoffLimiter, key: string) => {
    const waitMs = limiter.take(key, now);
    if (waitMs <= 0) return;
    recordFailedSignIn(ctx, { userId, address, reason: "limit" });
    throw tooManyAttempts(waitMs);
  };
  if (device !== null) {
    // Attempts of others do not delay it, not even those from its own network.
    const key = `${device} ${account}`;
    take(byDevice, key);
    return () => byDevice.clear(key);
  }
  take(byAddress, networkPrefixOf(address));
  take(byAccount, account);
  return () => byAccount.clear(account);
}

/** The refusal of an attempt that came too early. */
export const tooManyAttempts = (waitMs: number): AppError =>
  new AppError("limit.sign_in", "Too many attempts to sign in", {
    retryAfterS: Math.ceil(waitMs / 1000),
  });

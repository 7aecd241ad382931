import type { UserGrant } from "../../authorization.ts";
import { AppError, forbidden, invalid, unauthenticated } from "../../errors.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import { networkPrefixOf } from "../../lib/network/networks.ts";
import { SESSION_IDLE_TIMEOUT_MS } from "./actors.ts";
import type { Context } from "../context.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

export interface Credentials {
  email: string;
  password: string;
  /** The client's address, for rate limits. */
  address: string;
}

/** A new session. */
export interface NewSession {
  readonly userId: number;
  /** The token for the cookie; it is not stored. */
  readonly token: string;
}

/**
 * Signs a user in by email address and password. An unknown address, a wrong password and a disabled user take the same
 * time and get the same response.
 * @throws AppError `unauthenticated`; `tooMany` after too many attempts from the address or for the account
 */
export async function signIn(ctx: Context, { email, password, address }: Credentials): Promise<NewSession> {
  const account = normaliseEmail(email).slice(0, 254);
  countAttempt(ctx, account, address);
  const user = ctx.home.users.byEmail(account);
  const hash = user && ctx.home.passwords.get(user.id);
  const isCorrect = await verifyPassword(ctx, password, hash);
  if (!isCorrect || !user || user.disabledAt !== null || user.kind !== "person") {
    throw unauthenticated("The email address or the password is wrong", "auth.credentials");
  }
  ctx.identity.attempts.byAccount.clear(account);
  return ctx.home.transaction(() => startSession(ctx, user.id));
}

/** Starts a session for an authenticated user. */
export function startSession(ctx: Context, userId: number): NewSession {
  const token = randomHex(32);
  ctx.home.sessions.removeExpired();
  ctx.home.sessions.add({ hash: sha256Hex(token), userId, expiresAt: ctx.clock.now() + SESSION_IDLE_TIMEOUT_MS });
  return { userId, token };
}

/** Ends the session of a token. Idempotent. */
export function signOut(ctx: Context, token: string): void {
  ctx.home.transaction(() => ctx.home.sessions.remove(sha256Hex(token)));
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
  // A key leaks more easily than a session, and must not be enough to take over the account.
  if (actor.via === "key" || actor.isService)
    throw forbidden("The password can be changed on the account page only, not with an API key");
  const before = ctx.home.passwords.get(actor.userId);
  if (before !== null) {
    const waitMs = ctx.identity.attempts.byAccount.take(actor.email, ctx.clock.elapsed());
    if (waitMs > 0) throw tooManyAttempts(waitMs);
    if (!(await verifyPassword(ctx, change.current ?? "", before))) throw forbidden("The current password is wrong");
    ctx.identity.attempts.byAccount.clear(actor.email);
  }
  const hash = await hashPassword(ctx, change.newPassword);
  ctx.home.transaction(() => {
    if (ctx.home.passwords.get(actor.userId) !== before)
      throw invalid("The password was changed concurrently; try again");
    ctx.home.passwords.set(actor.userId, hash);
    ctx.home.tokens.removeOf(actor.userId, "password-reset");
    ctx.home.sessions.removeOf(actor.userId, change.currentToken === null ? null : sha256Hex(change.currentToken));
  });
}

/** Counts attempts before verifying the password, so that concurrent attempts cannot exceed the limit. */
function countAttempt({ identity, clock }: Context, account: string, address: string): void {
  const now = clock.elapsed();
  const waitMs = identity.attempts.byAddress.take(networkPrefixOf(address), now);
  if (waitMs > 0) throw tooManyAttempts(waitMs);
  const accountWaitMs = identity.attempts.byAccount.take(account, now);
  if (accountWaitMs > 0) throw tooManyAttempts(accountWaitMs);
}

const tooManyAttempts = (waitMs: number): AppError =>
  new AppError("limit.sign_in", "Too many attempts to sign in", {
    retryAfterS: Math.ceil(waitMs / 1000),
  });

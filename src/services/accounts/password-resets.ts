import type { UserGrant } from "../../authorization.ts";
import { forbidden, invalid } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";
import { hashPassword, requirePasswords } from "./passwords.ts";
import { type AuditActor, auditActorOf, recordAudit } from "../audit/record-audit.ts";
import { continueSignIn, type SignInStep } from "../second-factor/sign-in-steps.ts";
import type { Browser } from "./sign-in.ts";
import { findUser } from "./users.ts";

/** Lifetime of a link. */
const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** A new password reset. */
export interface PasswordReset {
  readonly email: string;
  /** The token of the link; only its hash is stored. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Returns the path of the page for a token. */
export const resetPath = (token: string): string => `/reset-password?token=${token}`;

/**
 * Lets a user set a new password once, without the current one; invalidates earlier resets. For administrators.
 * @throws AppError `forbidden`, also where the server accepts no passwords; `notFound`, `invalid` for users that cannot sign in, or are disabled
 */
export function createReset(ctx: Context, grant: UserGrant, userId: number): PasswordReset {
  guardAdmin(grant, "perform this action");
  return issueReset(ctx, findUser(ctx, userId), grant.actor);
}

/** Like `createReset`, for commands. */
export function issueReset(ctx: Context, user: User, actor: AuditActor = "command"): PasswordReset {
  const { home, clock } = ctx;
  requirePasswords(ctx);
  if (user.kind !== "person") throw invalid("Service accounts have no password");
  if (user.disabledAt !== null) throw invalid(`${user.displayEmail} is disabled`);
  const token = randomHex(32);
  const expiresAt = clock.now() + LINK_LIFETIME_MS;
  home.transaction(() => {
    home.tokens.removeOf(user.id, "password-reset");
    home.tokens.add({ hash: sha256Hex(token), purpose: "password-reset", userId: user.id, expiresAt });
    recordAudit(ctx, { event: "password.reset_link_created", actor, userId: user.id });
  });
  return { email: user.displayEmail, token, expiresAt };
}

/** The user of a password reset token. */
export interface ResetUser {
  readonly email: string;
  /** Empty for invited users, who must provide a name. */
  readonly name: string;
}

/** Returns the user of a token; null if it is invalid, used or expired. */
export function findResetUser(ctx: Context, token: string): ResetUser | null {
  const user = userOf(ctx, token);
  return user && { email: user.displayEmail, name: user.name };
}

/**
 * Sets the password of the token's user, ends all their sessions, and signs them in as far as a password goes.
 * @param input.name for users without a name
 * @throws AppError `forbidden` if the token is invalid, used or expired; `invalid` for a password of invalid length or
 * a missing name; `tooMany`
 */
export async function resetPassword(
  ctx: Context,
  input: { token: string; password: string; name: string },
  browser: Browser,
): Promise<SignInStep> {
  const { home } = ctx;
  requirePasswords(ctx);
  const user = requireResetUser(ctx, input.token);
  const name = user.name || input.name.trim();
  if (name === "") throw invalid("The name must not be empty");
  const hash = await hashPassword(ctx, input.password);
  return home.transaction(() => {
    // Checked again: two browsers may have had the page open.
    const { id } = requireResetUser(ctx, input.token);
    home.tokens.removeOf(id, "password-reset");
    home.users.change(id, { name });
    home.passwords.set(id, hash);
    home.sessions.removeOf(id);
    // Failed attempts do not count against the new password.
    ctx.identity.attempts.byAccount.clear(user.email);
    const actor = auditActorOf(ctx, id, browser.address);
    recordAudit(ctx, { event: "password.reset", actor, userId: id });
    return continueSignIn(ctx, id, browser);
  });
}

function requireResetUser(ctx: Context, token: string): User {
  const user = userOf(ctx, token);
  if (!user) throw forbidden("This link has been used or has expired", "link.expired");
  return user;
}

function userOf({ home, identity }: Context, token: string): User | null {
  if (!identity.acceptsPasswords) return null;
  const id = home.tokens.userOf(sha256Hex(token), "password-reset");
  const user = id === null ? null : home.users.byId(id);
  return user && user.disabledAt === null ? user : null;
}

import type { UserGrant } from "../../authorization.ts";
import { forbidden, invalid } from "../../errors.ts";
import type { User } from "../../home/users.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";
import type { Context } from "../context.ts";
import { guardAdmin } from "../access/guards.ts";
import { hashPassword } from "./passwords.ts";
import { startSession, type NewSession } from "./sign-in.ts";
import { findUser } from "./users.ts";

/** How long a link is good. */
const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** A way to a new password, just made. */
export interface PasswordReset {
  readonly email: string;
  /** For the link; only its hash is kept. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** The page that a token is for, without the server's address. */
export const resetPath = (token: string): string => `/reset-password?token=${token}`;

/**
 * Lets a person set a new password without the present one, once; earlier offers are of no use from then on. For
 * administrators.
 * @throws AppError `forbidden`, `notFound`, `invalid` for who does not sign in, or must not
 */
export function createReset(ctx: Context, grant: UserGrant, userId: number): PasswordReset {
  guardAdmin(grant, "do this");
  return issueReset(ctx, findUser(ctx, userId));
}

/** As `offerReset`, for commands. */
export function issueReset({ home, clock }: Context, user: User): PasswordReset {
  if (user.kind !== "person") throw invalid("Only people have passwords");
  if (user.disabledAt !== null) throw invalid(`${user.displayEmail} is disabled`);
  const token = randomHex(32);
  const expiresAt = clock.now() + LINK_LIFETIME_MS;
  home.transaction(() => {
    home.tokens.removeOf(user.id, "password-reset");
    home.tokens.add({ hash: sha256Hex(token), purpose: "password-reset", userId: user.id, expiresAt });
  });
  return { email: user.displayEmail, token, expiresAt };
}

/** Whom a token lets set a password. */
export interface ResetUser {
  readonly email: string;
  /** Empty for somebody who was only invited so far, and has to give a name. */
  readonly name: string;
}

/** Whom a token is for; null when it is wrong, used or expired. */
export function findResetUser(ctx: Context, token: string): ResetUser | null {
  const user = userOf(ctx, token);
  return user && { email: user.displayEmail, name: user.name };
}

/**
 * Sets the password of whom the token is for, ends all his sessions, and signs him in.
 * @param input.name for somebody who has none yet
 * @throws AppError `forbidden` when the token is wrong, used or expired; `invalid` for a poor password or no name;
 *   `tooMany`
 */
export async function resetPassword(
  ctx: Context,
  input: { token: string; password: string; name: string },
): Promise<NewSession> {
  const { home } = ctx;
  const user = requireResetUser(ctx, input.token);
  const name = user.name || input.name.trim();
  if (name === "") throw invalid("A name is needed");
  const hash = await hashPassword(ctx, input.password);
  return home.transaction(() => {
    // Again: two may have had the page open.
    const { id } = requireResetUser(ctx, input.token);
    home.tokens.removeOf(id, "password-reset");
    home.users.change(id, { name });
    home.passwords.set(id, hash);
    home.sessions.removeOf(id);
    // Whoever failed to sign in until now may do so with the new one.
    ctx.identity.attempts.byAccount.clear(user.email);
    return startSession(ctx, id);
  });
}

function requireResetUser(ctx: Context, token: string): User {
  const user = userOf(ctx, token);
  if (!user) throw forbidden("This link was used already or has expired", "link.expired");
  return user;
}

function userOf({ home }: Context, token: string): User | null {
  const id = home.tokens.userOf(sha256Hex(token), "password-reset");
  const user = id === null ? null : home.users.byId(id);
  return user && user.disabledAt === null ? user : null;
}

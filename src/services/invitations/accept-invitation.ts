import { forbidden, invalid } from "../../errors.ts";
import { hashPassword, requirePasswords } from "../accounts/passwords.ts";
import type { Browser } from "../accounts/sign-in.ts";
import { auditActorOf, recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { continueSignIn, type SignInStep } from "../second-factor/sign-in-steps.ts";
import { findInvitedUser, type InvitedUser, revokeInvitationTokens } from "./tokens.ts";

/** An invitation as its page shows it. */
export interface Invitation {
  readonly email: string;
  /** The name of the user who invited; null if that is unknown. */
  readonly inviter: string | null;
}

/** Returns the invitation of a token; null if it cannot be accepted, whatever the reason. */
export function findInvitation({ home }: Context, token: string): Invitation | null {
  const found = findInvitedUser(home, token);
  return found && { email: found.user.displayEmail, inviter: found.inviter?.name || null };
}

/**
 * Makes the account of an invited user: sets name and password, and signs them in as far as a password goes. All links of the user
 * end.
 * @throws AppError `forbidden` if the token is unknown, used, revoked or expired, or the user has signed in meanwhile;
 * `invalid` for a password of invalid length or a missing name; `tooMany`
 */
export async function acceptInvitation(
  ctx: Context,
  input: { token: string; name: string; password: string },
  browser: Browser,
): Promise<SignInStep> {
  const { home } = ctx;
  requirePasswords(ctx);
  requireInvitation(ctx, input.token);
  const name = input.name.trim();
  if (name === "") throw invalid("The name must not be empty");
  const hash = await hashPassword(ctx, input.password);
  return home.transaction(() => {
    // Checked again: two browsers may have had the page open.
    const { user } = requireInvitation(ctx, input.token);
    home.users.change(user.id, { name });
    const actor = auditActorOf(ctx, user.id, browser.address);
    recordAudit(ctx, { event: "invitation.accepted", actor, userId: user.id });
    home.passwords.set(user.id, hash);
    revokeInvitationTokens(home, user.id);
    home.tokens.removeOf(user.id, "password-reset");
    home.invitations.remove(user.id);
    ctx.identity.attempts.byAccount.clear(user.email);
    return continueSignIn(ctx, user.id, browser);
  });
}

function requireInvitation({ home }: Context, token: string): InvitedUser {
  const found = findInvitedUser(home, token);
  if (!found) throw forbidden("This link has been used or has expired", "link.expired");
  return found;
}

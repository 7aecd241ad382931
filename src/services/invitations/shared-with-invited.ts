/** Keeps invitations in step with what is shared with users who have not signed in yet. */
import type { Actor } from "../../authorization.ts";
import type { User } from "../../home/users.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Context } from "../context.ts";
import { queue, takeLimits } from "./invitations.ts";
import { INVITATION_LIFETIME_MS, isPending, revokeInvitationTokens } from "./tokens.ts";

export interface SharedResource {
  readonly kind: "document" | "workspace" | "site";
  readonly name: string;
}

/**
 * Invites a user with whom something is about to be shared, unless they have signed in. Call it in the transaction of the
 * change, before it.
 */
export function inviteToShared(
  ctx: Context,
  actor: Actor,
  { user, resource }: { user: User; resource: SharedResource },
): void {
  if (!isPending(user) || user.disabledAt !== null || actor.kind !== "user") return;
  const { home, clock } = ctx;
  const { id: userId } = user;
  const found = home.invitations.find(userId);
  const isOwn = found?.invitedBy === actor.userId;
  // A link that was copied before must not lead to what another user shares now.
  if (!isOwn) home.tokens.removeOf(userId, "invitation-by-user");
  const isShared = found ? found.isShared || !isOwn : home.invitations.hasRoles(userId);
  if (found && found.expiresAt > clock.now()) {
    if (isShared) home.invitations.markShared(userId);
  } else {
    const expiresAt = clock.now() + INVITATION_LIFETIME_MS;
    home.invitations.set({ userId, invitedBy: actor.userId, expiresAt, isShared });
    recordAudit(ctx, { event: "invitation.created", actor, userId });
  }
  // Beyond a limit, the sharing succeeds all the same: it can be mentioned in another way.
  if (ctx.email.isOn && takeLimits(home, actor.userId, userId))
    queue(home, user, { inviterId: actor.userId, resource });
}

/**
 * Ends the invitation of a user who has lost their last role, unless an administrator invited them. Call it in the transaction
 * of the change, after it.
 */
export function endInvitationWithoutRoles(ctx: Context, actor: Actor, user: User): void {
  if (!isPending(user) || actor.kind !== "user") return;
  const { home } = ctx;
  const found = home.invitations.find(user.id);
  const inviter = found?.invitedBy ? home.users.byId(found.invitedBy) : null;
  if (!found || inviter?.isAdmin || found.invitedBy === null || home.invitations.hasRoles(user.id)) return;
  revokeInvitationTokens(home, user.id);
  home.emails.removeTo(user.email, "invitation");
  home.invitations.remove(user.id);
  recordAudit(ctx, { event: "invitation.revoked", actor, userId: user.id });
}

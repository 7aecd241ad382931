/** The tokens of links that make an account usable. */
import type { Home } from "../../home/home.ts";
import type { TokenPurpose } from "../../home/tokens.ts";
import type { User } from "../../home/users.ts";
import { randomHex, sha256Hex } from "../../lib/ids.ts";

/** Lifetime of an invitation. */
export const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Purposes of tokens: those of `invitation` were sent to the user's address, or shown to an administrator; those of
 * `invitation-by-user` were shown to the user who invited them, who is not to get what other users share with the address.
 */
export const INVITATION_PURPOSES = ["invitation", "invitation-by-user"] as const satisfies readonly TokenPurpose[];

export type InvitationPurpose = (typeof INVITATION_PURPOSES)[number];

/** Returns the path of the page for a token, which suggests a name. */
export const invitationPath = (token: string, name = ""): string =>
  `/invitation?token=${token}${name === "" ? "" : `&name=${encodeURIComponent(name)}`}`;

/** True for a user who was added, or with whom something was shared, and who has not signed in yet. */
export const isPending = (user: User): boolean => user.kind === "person" && user.name === "";

/** Returns a new token of an invited user, valid until the invitation expires; null if it has expired. Only its hash is stored. */
export function issueInvitationToken(
  home: Home,
  userId: number,
  purpose: InvitationPurpose,
): { token: string; expiresAt: number } | null {
  const invitation = home.invitations.find(userId);
  if (!invitation || invitation.expiresAt <= home.clock.now()) return null;
  const token = randomHex(32);
  const { expiresAt } = invitation;
  home.tokens.add({ hash: sha256Hex(token), purpose, userId, expiresAt });
  return { token, expiresAt };
}

/** The user of a valid token, with the user who invited them. */
export interface InvitedUser {
  readonly user: User;
  /** Null for a command, and when the inviter's account was deleted. */
  readonly inviter: User | null;
}

/**
 * Returns the user of a token; null if it is unknown, used, revoked or expired, if the user is disabled or has signed in
 * meanwhile, and for a link that a user copied if it would give them what others have shared, or they are disabled.
 */
export function findInvitedUser(home: Home, token: string): InvitedUser | null {
  const hash = sha256Hex(token);
  for (const purpose of INVITATION_PURPOSES) {
    const userId = home.tokens.userOf(hash, purpose);
    const user = userId === null ? null : home.users.byId(userId);
    if (!user) continue;
    const invitation = home.invitations.find(user.id);
    if (!isPending(user) || user.disabledAt !== null || !invitation) return null;
    const inviter = invitation.invitedBy === null ? null : home.users.byId(invitation.invitedBy);
    if (purpose === "invitation-by-user" && !mayUserInvite(home, user, inviter)) return null;
    return { user, inviter };
  }
  return null;
}

/**
 * True if a user who is no administrator may have the link of an invited user: they invited the user themselves, and no one
 * else has given the user anything.
 */
export function mayUserInvite(home: Home, user: User, inviter: User | null): boolean {
  const invitation = home.invitations.find(user.id);
  if (!invitation || !inviter || invitation.invitedBy !== inviter.id || inviter.disabledAt !== null) return false;
  return !invitation.isShared && !user.isAdmin && !home.invitations.isInGroup(user.id);
}

/** Revokes all links of a user. */
export function revokeInvitationTokens(home: Home, userId: number): void {
  for (const purpose of INVITATION_PURPOSES) home.tokens.removeOf(userId, purpose);
}

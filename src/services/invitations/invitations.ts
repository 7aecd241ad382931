/** Invitations of users who have not signed in yet, and the links with which they make their accounts. */
import type { SiteGrant, SiteRole, UserActor, UserGrant } from "../../authorization.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import type { Home } from "../../home/home.ts";
import type { User } from "../../home/users.ts";
import type { Context } from "../context.ts";
import { guardAdmin, guardSession, requireRole } from "../access/guards.ts";
import { changeAdministrator } from "../accounts/administrators.ts";
import { findOrInvite, findUser, removeUser } from "../accounts/users.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { enqueueEmail, type EmailContents } from "../email/enqueue.ts";
import {
  INVITATION_LIFETIME_MS,
  isPending,
  issueInvitationToken,
  mayUserInvite,
  revokeInvitationTokens,
} from "./tokens.ts";

/** Who gets links of invitations to copy: administrators, or also users who share something with an unknown address. */
export type LinkHolders = "administrators" | "owners";

export interface InvitationLink {
  readonly userId: number;
  readonly email: string;
  /** The name that the form of the invitation suggests; empty for nothing. */
  readonly name: string;
  /** Only its hash is stored. */
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** Whether another link is sent to the address. */
  readonly isSent: boolean;
}

export interface PendingInvitation {
  readonly userId: number;
  readonly email: string;
  /** The name of the user who invited them; null if that is unknown. */
  readonly invitedBy: string | null;
  /** Null without an invitation that a link belongs to. */
  readonly invitedAt: number | null;
  readonly expiresAt: number | null;
  readonly isExpired: boolean;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_SENT_PER_DAY = 20;
/** To one address, by all users. */
const MAX_RECEIVED_PER_DAY = 3;

/** Returns the users who have not signed in yet, oldest first. For administrators. @throws AppError `forbidden` */
export function listInvitations(ctx: Context, grant: UserGrant): PendingInvitation[] {
  guardAdmin(grant, "manage invitations");
  return ctx.home.users
    .list()
    .filter(isPending)
    .map((user) => describePending(ctx, user));
}

export function describePending({ home, clock }: Pick<Context, "home" | "clock">, user: User): PendingInvitation {
  const found = home.invitations.find(user.id);
  const inviter = found?.invitedBy ? home.users.byId(found.invitedBy) : null;
  return {
    userId: user.id,
    email: user.displayEmail,
    invitedBy: inviter && (inviter.name || inviter.displayEmail),
    invitedAt: found?.createdAt ?? null,
    expiresAt: found?.expiresAt ?? null,
    isExpired: !found || found.expiresAt <= clock.now(),
  };
}

/** A new user, and what they get. */
export interface UserToInvite {
  readonly email: string;
  /** The name that the form of the invitation suggests; the user may change it. */
  readonly name?: string | undefined;
  /** Makes the user an administrator of the installation. */
  readonly isAdmin?: boolean | undefined;
  /** A role on a site that the caller owns. */
  readonly site?: { readonly grant: SiteGrant; readonly role: SiteRole } | undefined;
}

/**
 * Adds a user who makes their account with the returned link, or renews the invitation of one who has not signed in yet. With
 * email, the link is also sent. For administrators.
 * @throws AppError `forbidden`, also for an API key that would make an administrator, and for a site of others; `invalid` for
 * an invalid address; `conflict` for an existing account
 */
export function inviteUser(
  ctx: Context,
  grant: UserGrant,
  { email, name, isAdmin, site }: UserToInvite,
): InvitationLink {
  guardAdmin(grant, "add users");
  if (isAdmin) guardSession(grant.actor);
  if (site) requireRole(site.grant, "owners");
  const { home } = ctx;
  const { actor } = grant;
  return home.transaction(() => {
    const user = requirePending(findOrInvite(ctx, email, actor));
    const { id: userId } = user;
    const link = renewLink(ctx, user, actor);
    if (isAdmin) changeAdministrator(ctx, grant, { userId, isAdmin });
    if (site) grantSite(ctx, actor, { orgId: site.grant.orgId, role: site.role, userId });
    const isSent = ctx.email.isOn && takeLimits(home, actor.userId, userId);
    if (isSent) {
      const resource = site ? ({ kind: "site", name: home.orgs.byId(site.grant.orgId)?.name ?? "" } as const) : null;
      queue(home, user, { inviterId: actor.userId, resource, name });
    }
    return { ...link, name: name?.trim() ?? "", isSent };
  });
}

function grantSite(
  ctx: Context,
  actor: UserActor,
  { orgId, role, userId }: { readonly orgId: number; readonly role: SiteRole; readonly userId: number },
): void {
  const target = { kind: "site", id: orgId } as const;
  const before = ctx.home.grants.roleOf(target, userId);
  ctx.home.grants.set(target, userId, role);
  if (before !== role)
    recordAudit(ctx, { event: "access.changed", actor, orgId, userId, details: { before, after: role } });
}

/** As `inviteUser`, for commands: the link is only returned. */
export const inviteByCommand = (ctx: Context, email: string): InvitationLink =>
  ctx.home.transaction(() => renewLink(ctx, requirePending(findOrInvite(ctx, email, "command")), null));

/**
 * Returns a new link of an invited user. Administrators get one for every invited user, and earlier links end. With
 * `linksFor: "owners"`, a user gets one for a user whom only they have invited.
 * @throws AppError `notFound` for all other users, so that the answer does not tell whether an account exists
 */
export function createInvitationLink(
  ctx: Context,
  { actor }: UserGrant,
  { userId, linksFor }: { userId: number; linksFor: LinkHolders },
): InvitationLink {
  const { home } = ctx;
  return home.transaction(() => {
    const user = requireInvited(ctx, userId);
    if (actor.isAdmin) return renewLink(ctx, user, actor);
    if (linksFor !== "owners" || !mayUserInvite(home, user, home.users.byId(actor.userId))) throw invitationNotFound();
    home.invitations.set({ userId, invitedBy: actor.userId, expiresAt: ctx.clock.now() + INVITATION_LIFETIME_MS });
    recordAudit(ctx, { event: "invitation.created", actor, userId });
    return issue(home, user, "invitation-by-user");
  });
}

/**
 * Sends an invitation again. For administrators, and for the user who invited.
 * @throws AppError `notFound` as `createInvitationLink`; `invalid` when email is off; `tooMany` after 20 invitations in a day
 */
export function sendInvitation(ctx: Context, { actor }: UserGrant, userId: number): void {
  const { home, email, clock } = ctx;
  if (!email.isOn) throw new AppError("email.off", "Email is off: copy the link of the invitation");
  home.transaction(() => {
    const user = requireInvited(ctx, userId);
    const found = home.invitations.find(userId);
    if (!actor.isAdmin && found?.invitedBy !== actor.userId) throw invitationNotFound();
    if (!takeLimits(home, actor.userId, userId)) {
      throw new AppError("limit.invitations", `At most ${MAX_SENT_PER_DAY} invitations can be sent in a day`, {
        retryAfterS: DAY_MS / 1000,
      });
    }
    const expiresAt = clock.now() + INVITATION_LIFETIME_MS;
    const isShared = found?.isShared ?? home.invitations.hasRoles(userId);
    home.invitations.set({ userId, invitedBy: found?.invitedBy ?? actor.userId, expiresAt, isShared });
    queue(home, user, { inviterId: actor.userId, resource: null });
    recordAudit(ctx, { event: "invitation.created", actor, userId });
  });
}

/**
 * Deletes an invited user who has not signed in, with everything that was shared with them; their links end. For
 * administrators.
 * @throws AppError `forbidden`; `notFound` for other users
 */
export function revokeInvitation(ctx: Context, grant: UserGrant, userId: number): void {
  guardAdmin(grant, "manage invitations");
  ctx.home.transaction(() => {
    const user = requireInvited(ctx, userId);
    ctx.home.emails.removeTo(user.email, "invitation");
    recordAudit(ctx, { event: "invitation.revoked", actor: grant.actor, userId });
    // A user who has never signed in has created no documents.
    removeUser(ctx, userId, grant.actor);
  });
}

/** What a caller may do with the invitation of a user in a list of people with access. */
export interface InvitationOffer {
  readonly canCopyLink: boolean;
  readonly canSend: boolean;
  readonly isExpired: boolean;
}

/** Returns what a caller may do with the invitation of a user; null for a user who has signed in. */
export function offerOf(
  ctx: Context,
  actor: UserGrant["actor"],
  { userId, linksFor }: { userId: number; linksFor: LinkHolders },
): InvitationOffer | null {
  const { home } = ctx;
  const user = home.users.byId(userId);
  if (!user || !isPending(user) || user.disabledAt !== null) return null;
  const found = home.invitations.find(userId);
  const mayCopy = linksFor === "owners" && mayUserInvite(home, user, home.users.byId(actor.userId));
  return {
    canCopyLink: actor.isAdmin || mayCopy,
    canSend: ctx.email.isOn && (actor.isAdmin || found?.invitedBy === actor.userId),
    isExpired: !found || found.expiresAt <= ctx.clock.now(),
  };
}

/** Limits the invitations of a user, and the invitations to an address. Returns false when one is reached. */
export const takeLimits = ({ emails }: Home, inviterId: number, userId: number): boolean =>
  emails.take({ key: `invited ${userId}`, max: MAX_RECEIVED_PER_DAY, windowMs: DAY_MS }) &&
  emails.take({ key: `invitations ${inviterId}`, max: MAX_SENT_PER_DAY, windowMs: DAY_MS });

export function queue(
  home: Home,
  user: User,
  content: Pick<EmailContents["invitation"], "inviterId" | "resource" | "name">,
): void {
  enqueueEmail(home, {
    kind: "invitation",
    recipient: user.displayEmail,
    content: { userId: user.id, ...content },
  });
}

/** Renews an invitation and returns its only link. */
function renewLink(ctx: Context, user: User, inviter: UserActor | null): InvitationLink {
  const { home } = ctx;
  const inviterId = inviter?.userId ?? null;
  const found = home.invitations.find(user.id);
  revokeInvitationTokens(home, user.id);
  // What was shared before counts as shared by others: the link of an administrator may lead to it, that of a user may not.
  const isShared = found?.isShared === true || home.invitations.hasRoles(user.id);
  const expiresAt = home.clock.now() + INVITATION_LIFETIME_MS;
  home.invitations.set({ userId: user.id, invitedBy: inviterId ?? found?.invitedBy ?? null, expiresAt, isShared });
  recordAudit(ctx, { event: "invitation.created", actor: inviter ?? "command", userId: user.id });
  return issue(home, user, "invitation");
}

function issue(home: Home, user: User, purpose: "invitation" | "invitation-by-user"): InvitationLink {
  const issued = issueInvitationToken(home, user.id, purpose);
  if (!issued) throw invitationNotFound();
  return { userId: user.id, email: user.displayEmail, name: "", ...issued, isSent: false };
}

function requirePending(user: User): User {
  if (!isPending(user)) {
    throw new AppError("user.exists", `A user with the address ${user.displayEmail} already exists`);
  }
  if (user.disabledAt !== null) throw invalid(`${user.displayEmail} is disabled`);
  return user;
}

function requireInvited(ctx: Context, userId: number): User {
  const user = ctx.home.users.byId(userId);
  if (!user || !isPending(user) || user.disabledAt !== null) throw invitationNotFound();
  return findUser(ctx, userId);
}

const invitationNotFound = (): AppError => notFound("Invitation not found", "invitation.not_found");

import { ANONYMOUS, EVERYONE, type Role, strongerRole, roleStrength, weakerRole } from "../../../authorization.ts";
import type { DocumentGrant, SiteGrant, WorkspaceGrant } from "../../../authorization.ts";
import { listDocumentAccess, listOrgAccess, listWorkspaceAccess } from "../../../services/access/access-lists.ts";
import type { Context } from "../../../services/context.ts";
import { type InvitationOffer, type LinkHolders, offerOf } from "../../../services/invitations/invitations.ts";
import type { AccessList } from "../../../wire/access/access-lists.ts";

/** A shared resource: its access list has the same form for all kinds, except that a site inherits nothing. */
export type ResourceKind = "document" | "workspace" | "site";

export type ListedRole = AccessList["users"][number]["access"];

/** An entry of the access list. */
export interface UserAccess {
  readonly email: string;
  /** Empty for invited users who have not signed in yet. */
  readonly name: string;
  /** Granted directly. */
  readonly ownRole: ListedRole | "members";
  /** Inherited, limited by the maximum of the resource. */
  readonly inheritedRole: Role | null;
  /** The effective role; null for none. */
  readonly role: Role | "members" | "guests" | null;
  readonly isSelf: boolean;
  readonly isDisabled: boolean;
  /** What the caller may do with the invitation of a user who has not signed in; null for others. */
  readonly invitation: (InvitationOffer & { readonly userId: number }) | null;
}

export interface Sharing {
  readonly users: readonly UserAccess[];
  /** The public role, signed in or not; null for none. */
  readonly publicAccess: { readonly ownRole: Role | null; readonly inheritedRole: Role | null };
  /** The maximum inherited role. */
  readonly maxInheritedRole: Role | null;
  /** False when the list contains only the caller. */
  readonly isComplete: boolean;
}

const PUBLIC_USER_IDS: ReadonlySet<number> = new Set([EVERYONE.id, ANONYMOUS.id]);

export const documentSharing = (ctx: Context, grant: DocumentGrant, linksFor: LinkHolders): Sharing =>
  sharingOf(listDocumentAccess(ctx, grant), grant, invitationOf(ctx, grant, linksFor));

export const workspaceSharing = (ctx: Context, grant: WorkspaceGrant, linksFor: LinkHolders): Sharing =>
  sharingOf(listWorkspaceAccess(ctx, grant), grant, invitationOf(ctx, grant, linksFor));

/** A site inherits nothing; members may have no role on it. */
export function siteSharing(ctx: Context, grant: SiteGrant, linksFor: LinkHolders): Sharing {
  const invitation = invitationOf(ctx, grant, linksFor);
  const { users, personal } = listOrgAccess(ctx, grant);
  const people = users
    .filter(({ id }) => !PUBLIC_USER_IDS.has(id))
    .map(({ id, email, name, access, disabledAt }) => ({
      email,
      name,
      ownRole: access,
      inheritedRole: null,
      role: access,
      isSelf: isSelf(grant, id),
      isDisabled: disabledAt !== undefined,
      invitation: invitation(id),
    }));
  const publicAccess = { ownRole: null, inheritedRole: null };
  return { users: people.toSorted(byStrength), publicAccess, maxInheritedRole: null, isComplete: personal !== true };
}

type FindInvitation = (userId: number) => UserAccess["invitation"];

/** Owners see what they may do with the invitations of listed users. */
const invitationOf =
  (ctx: Context, { actor, role }: DocumentGrant | WorkspaceGrant | SiteGrant, linksFor: LinkHolders): FindInvitation =>
  (userId) => {
    const offer = role === "owners" && actor.kind === "user" ? offerOf(ctx, actor, { userId, linksFor }) : null;
    return offer && { userId, ...offer };
  };

function sharingOf(list: AccessList, grant: DocumentGrant | WorkspaceGrant, invitation: FindInvitation): Sharing {
  const { maxInheritedRole, users, personal } = list;
  const shown = users.map(({ id, email, name, access, parentAccess, disabledAt }) => {
    const inherited = weakerRole(parentAccess, maxInheritedRole);
    const own = access === "members" || access === "guests" ? null : access;
    return {
      id,
      email,
      name,
      ownRole: access,
      inheritedRole: inherited,
      role: strongerRole(own, inherited) ?? (access === "guests" ? access : null),
      isSelf: isSelf(grant, id),
      isDisabled: disabledAt !== undefined,
      invitation: invitation(id),
    };
  });
  const everybody = shown.find(({ id }) => id === EVERYONE.id);
  return {
    users: shown.filter(({ id }) => !PUBLIC_USER_IDS.has(id)).toSorted(byStrength),
    publicAccess: {
      ownRole: assignableRole(everybody?.ownRole ?? null),
      inheritedRole: everybody?.inheritedRole ?? null,
    },
    maxInheritedRole,
    isComplete: personal !== true,
  };
}

const assignableRole = (role: ListedRole | "members"): Role | null =>
  role === "members" || role === "guests" ? null : role;

const isSelf = ({ actor }: { actor: DocumentGrant["actor"] }, id: number): boolean =>
  actor.kind === "user" && actor.userId === id;

/** Highest role first, then by address. */
const byStrength = (a: UserAccess, b: UserAccess): number =>
  roleStrength(b.role) - roleStrength(a.role) || a.email.localeCompare(b.email);

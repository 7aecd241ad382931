/** Changes to the users with access to a site, workspace or document. */
import {
  EVERYONE,
  type Actor,
  type DocumentGrant,
  type SiteGrant,
  type SiteRole,
  type WorkspaceGrant,
} from "../../authorization.ts";
import { forbidden, frozenError } from "../../errors.ts";
import { FROZEN } from "../../errors/frozen-messages.ts";
import type { GrantTarget } from "../../home/grants.ts";
import { subjectOf } from "../audit/subject-of.ts";
import type { User } from "../../home/users.ts";
import { normaliseEmail } from "../../lib/text/email.ts";
import type { Delta, OrgDelta } from "../../wire/access/access-lists.ts";
import type { Context } from "../context.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { requireRole } from "./guards.ts";
import { findOrInvite } from "../accounts/users.ts";
import { endInvitationWithoutRoles, inviteToShared, type SharedResource } from "../invitations/shared-with-invited.ts";

/**
 * Changes roles on a site. Requires an owner, except for callers who remove their own role. Removed users lose every
 * direct role in the site, and the caller takes over what they own outright; users who leave keep that.
 * @throws AppError `forbidden`, also for public sharing, which is limited to documents and workspaces; `invalid` for
 * owners who change their own role
 */
export function changeOrgAccess(ctx: Context, grant: SiteGrant, { delta }: OrgDelta): void {
  const { actor, orgId } = grant;
  const roles = rolesByAddress(delta.users);
  checkMayChange(grant, roles, onlyRemovesSelf(actor, roles));
  ctx.home.transaction(() => {
    for (const { user, role } of resolveUsers(ctx, roles, actor)) {
      const { id: userId } = user;
      if (userId === EVERYONE.id && role !== null) throw forbidden("A site cannot be made public");
      if (role !== null) inviteToShared(ctx, actor, { user, resource: nameOf(ctx, { kind: "site", id: orgId }) });
      const isPerson = ctx.home.users.byId(userId)?.kind !== "pseudo";
      const resource: GrantTarget = { kind: "site", id: orgId };
      if (role !== null || !isPerson) setRole(ctx, actor, { resource, userId, role });
      else {
        const before = ctx.home.grants.roleOf(resource, userId);
        ctx.home.grants.removeFromSite(orgId, userId, successorOf(actor, userId));
        recordAudit(ctx, { event: "access.changed", actor, orgId, userId, details: { before, after: null } });
      }
      if (role === null) endInvitationWithoutRoles(ctx, actor, user);
    }
  });
}

/**
 * Changes roles on a workspace, and its inheritance. Requires an owner, except for callers who remove their own role.
 * @throws AppError `forbidden`; `invalid` for owners who change their own role
 */
export function changeWorkspaceAccess(ctx: Context, grant: WorkspaceGrant, { delta }: Delta): void {
  const { workspaceId } = grant;
  changeAccess(ctx, grant, { resource: { kind: "workspace", id: workspaceId }, delta }, (maxInheritedRole) =>
    ctx.home.workspaces.change(workspaceId, { maxInheritedRole }),
  );
}

/**
 * Changes roles on a document, and its inheritance. Requires an owner, except for callers who remove their own role.
 * @throws AppError `forbidden`; `invalid` for owners who change their own role
 */
export function changeDocumentAccess(ctx: Context, grant: DocumentGrant, { delta }: Delta): void {
  const { documentId } = grant;
  changeAccess(ctx, grant, { resource: { kind: "document", id: documentId }, delta }, (maxInheritedRole) =>
    ctx.home.documents.change(documentId, { maxInheritedRole }),
  );
}

interface AccessChange {
  readonly resource: GrantTarget;
  readonly delta: Delta["delta"];
}

function changeAccess(
  ctx: Context,
  grant: WorkspaceGrant | DocumentGrant,
  { resource, delta }: AccessChange,
  limit: (maxInheritedRole: Exclude<Delta["delta"]["maxInheritedRole"], undefined>) => void,
): void {
  const { actor } = grant;
  const roles = rolesByAddress(delta.users ?? {});
  checkMayChange(grant, roles, delta.maxInheritedRole === undefined && onlyRemovesSelf(actor, roles));
  ctx.home.transaction(() => {
    for (const { user, role } of resolveUsers(ctx, roles, actor)) {
      if (role !== null) inviteToShared(ctx, actor, { user, resource: nameOf(ctx, resource) });
      setRole(ctx, actor, { resource, userId: user.id, role });
      if (role === null) endInvitationWithoutRoles(ctx, actor, user);
    }
    if (delta.maxInheritedRole === undefined) return;
    limit(delta.maxInheritedRole);
    const details = { after: delta.maxInheritedRole };
    recordAudit(ctx, { event: "access.inheritance_changed", actor, ...subjectOf(resource), details });
    // Prevents owners from locking themselves out: an inherited owner role becomes a direct one.
    if (delta.maxInheritedRole !== "owners" && actor.kind === "user") {
      setRole(ctx, actor, { resource, userId: actor.userId, role: "owners" });
    }
  });
}

interface RoleChange {
  readonly resource: GrantTarget;
  readonly userId: number;
  readonly role: SiteRole | null;
}

/** Sets a direct role, and records it unless the user has it. */
function setRole(ctx: Context, actor: Actor, { resource, userId, role }: RoleChange): void {
  const before = ctx.home.grants.roleOf(resource, userId);
  ctx.home.grants.set(resource, userId, role);
  if (before === role) return;
  recordAudit(ctx, {
    event: "access.changed",
    actor,
    userId,
    ...subjectOf(resource),
    details: { before, after: role },
  });
}

interface RoleEntry {
  readonly email: string;
  readonly role: SiteRole | null;
}

/** Returns roles by normalised address; of two spellings, the last takes precedence. */
function rolesByAddress(users: Readonly<Record<string, SiteRole | null>>): ReadonlyMap<string, RoleEntry> {
  return new Map(Object.entries(users).map(([email, role]) => [normaliseEmail(email), { email, role }]));
}

/** True if the caller only removes a role granted directly to them. */
const onlyRemovesSelf = (actor: Actor, roles: ReadonlyMap<string, RoleEntry>): boolean =>
  actor.kind === "user" && roles.size === 1 && roles.get(actor.email)?.role === null;

function checkMayChange(
  grant: SiteGrant | WorkspaceGrant | DocumentGrant,
  roles: ReadonlyMap<string, RoleEntry>,
  isRemovingSelf: boolean,
): void {
  if (!isRemovingSelf) requireRole(grant, "owners");
  const { actor, role } = grant;
  if (role === "owners" && actor.kind === "user" && roles.has(actor.email)) {
    throw frozenError(FROZEN.ownRole);
  }
}

/** Returns the users of a change. Unknown addresses become invited users, or are ignored if the role is removed. */
function resolveUsers(
  ctx: Context,
  roles: ReadonlyMap<string, RoleEntry>,
  actor: Actor,
): { user: User; role: SiteRole | null }[] {
  return [...roles.values()].flatMap(({ email, role }) => {
    const user = role === null ? ctx.home.users.byEmail(email) : findOrInvite(ctx, email, actor);
    return user ? [{ user, role }] : [];
  });
}

/** Names a resource for an invitation. */
const nameOf = ({ home }: Context, { kind, id }: GrantTarget): SharedResource => ({
  kind,
  name:
    (kind === "site" ? home.orgs.byId(id) : kind === "workspace" ? home.workspaces.byId(id) : home.documents.byId(id))
      ?.name ?? "",
});

const successorOf = (actor: Actor, userId: number): number | null =>
  actor.kind === "user" && actor.userId !== userId ? actor.userId : null;

/**
 * Lists of the users with access to a site, workspace or document. Roles of groups decide what a caller sees, but groups
 * and their members are not listed.
 */
import { allows, ANONYMOUS, EVERYONE, strongerRole, type Actor, type Role } from "../../authorization.ts";
import type { DocumentGrant, SiteGrant, WorkspaceGrant } from "../../authorization.ts";
import type { Grantee, GrantTargetIds } from "../../home/grants.ts";
import { effectiveRole, inheritableRole } from "../../home/roles.ts";
import { must } from "../../lib/assert.ts";
import { isoTime } from "../../lib/time/clock.ts";
import type { AccessList, OrgAccess } from "../../wire/access/access-lists.ts";
import type { UsersForViewAs } from "../../wire/access/view-as.ts";
import type { Context } from "../context.ts";
import { requireRole } from "./guards.ts";

/** Owners get all users with any access; other callers get only themselves. */
export function listOrgAccess({ home }: Context, { actor, orgId }: SiteGrant): OrgAccess {
  const holders = home.grants.grantees({ orgId });
  const self = holders.find((holder) => isSelf(holder, actor)) ?? null;
  const own = ownRoles(home, actor, { orgId }, self).site;
  const isOwner = own === "owners";
  const users = (isOwner ? holders : self ? [self] : []).map((holder) => ({
    ...toListedUser(holder),
    access: holder.site ?? (holder.isGuestOfSite ? ("guests" as const) : null),
  }));
  const isGuest = actor.kind === "user" && home.reach.isGuestOfSite(orgId, actor.userId);
  return { users, ...(!isOwner && partialListFlags(own !== null || isGuest)) };
}

/** Owners get all users with a role on the workspace or its site; other callers get only themselves. */
export function listWorkspaceAccess({ home }: Context, { actor, orgId, workspaceId }: WorkspaceGrant): AccessList {
  const { maxInheritedRole } = must(home.workspaces.byId(workspaceId), "workspace");
  const holders = home.grants.grantees({ orgId, workspaceId });
  const self = holders.find((holder) => isSelf(holder, actor)) ?? null;
  const own = workspaceRole(ownRoles(home, actor, { orgId, workspaceId }, self), maxInheritedRole);
  const users = (own === "owners" ? holders : self ? [self] : []).map((holder) => ({
    ...toListedUser(holder),
    access: holder.workspace ?? (holder.isGuestOfWorkspace ? ("guests" as const) : null),
    parentAccess: inheritableRole(holder.site),
  }));
  const isGuest = actor.kind === "user" && home.reach.isGuestOfWorkspace(workspaceId, actor.userId);
  const hasOwn = own !== null || isGuest;
  return { maxInheritedRole, users, ...(own !== "owners" && partialListFlags(hasOwn)) };
}

/**
 * Viewers get only themselves. Editors and owners get the users with access to the document; owners of the workspace
 * also the users with access to the workspace; owners of the site all users of the site.
 */
export function listDocumentAccess(
  { home }: Context,
  { actor, orgId, workspaceId, documentId }: DocumentGrant,
): AccessList {
  const { maxInheritedRole } = must(home.documents.byId(documentId), "document");
  const workspaceMaxRole = must(home.workspaces.byId(workspaceId), "workspace").maxInheritedRole;
  const holders = home.grants.grantees({ orgId, workspaceId, documentId });
  const limits = { workspaceMaxRole, documentMaxRole: maxInheritedRole };
  const self = holders.find((holder) => isSelf(holder, actor)) ?? null;
  const roles = ownRoles(home, actor, { orgId, workspaceId, documentId }, self);
  const own = documentRole(roles, limits);
  const visible = allows(own, "editors") ? visibleHolders(roles, holders, limits) : self ? [self] : [];
  const users = visible.map((holder) => ({
    ...toListedUser(holder),
    access: holder.document,
    parentAccess: workspaceRole(holder, workspaceMaxRole),
  }));
  return { maxInheritedRole, users, ...(own !== "owners" && partialListFlags(own !== null)) };
}

/** Returns all users with access to a document and their roles; for the document's owners. */
export function usersWithAccess({ home }: Context, grant: DocumentGrant): UsersForViewAs["users"] {
  requireRole(grant, "owners");
  const { orgId, workspaceId, documentId } = grant;
  const limits = {
    workspaceMaxRole: must(home.workspaces.byId(workspaceId), "workspace").maxInheritedRole,
    documentMaxRole: must(home.documents.byId(documentId), "document").maxInheritedRole,
  };
  return home.grants.grantees({ orgId, workspaceId, documentId }).flatMap((holder) => {
    const access = documentRole(holder, limits);
    if (access === null || !isRealUser(holder)) return [];
    const { disabledAt = null, ...person } = toListedUser(holder);
    return [{ ...person, disabledAt, access, isMember: person.isMember === true }];
  });
}

interface RoleLimits {
  readonly workspaceMaxRole: Role | null;
  readonly documentMaxRole: Role | null;
}

type HeldRoles = Pick<Grantee, "site" | "workspace" | "document">;

const NO_ROLES: HeldRoles = { site: null, workspace: null, document: null };

/** Returns the roles granted to the caller or to groups of theirs, without those of all users. */
function ownRoles(home: Context["home"], actor: Actor, targets: GrantTargetIds, self: Grantee | null): HeldRoles {
  if (actor.kind !== "user") return NO_ROLES;
  const throughGroups = home.groups.rolesOf(actor.userId, targets);
  const { site, workspace, document } = self ?? NO_ROLES;
  return {
    site: strongerRole(site, throughGroups.site),
    workspace: strongerRole(workspace, throughGroups.workspace),
    document: strongerRole(document, throughGroups.document),
  };
}

const workspaceRole = (holder: HeldRoles, maxRole: Role | null): Role | null =>
  effectiveRole(holder.workspace, holder.site, maxRole);

const documentRole = (holder: HeldRoles, { workspaceMaxRole, documentMaxRole }: RoleLimits): Role | null =>
  effectiveRole(holder.document, workspaceRole(holder, workspaceMaxRole), documentMaxRole);

/** Returns the users that an owner or editor of a document sees in its list. */
function visibleHolders(self: HeldRoles, holders: readonly Grantee[], limits: RoleLimits): readonly Grantee[] {
  if (self.site === "owners") return holders;
  const ownsWorkspace = workspaceRole(self, limits.workspaceMaxRole) === "owners";
  return holders.filter(
    (holder) =>
      documentRole(holder, limits) !== null ||
      (ownsWorkspace && (holder.isGuestOfWorkspace || workspaceRole(holder, limits.workspaceMaxRole) !== null)),
  );
}

/** Callers without a key are never listed, whatever role anonymous users have. */
const isSelf = ({ userId }: Grantee, actor: Actor): boolean => actor.kind === "user" && actor.userId === userId;

const isRealUser = ({ userId }: Pick<Grantee, "userId">): boolean => userId !== EVERYONE.id && userId !== ANONYMOUS.id;

/** Marks a list that does not contain all users; `hasOwn`: the caller has access other than public access. */
const partialListFlags = (hasOwn: boolean) => ({ personal: true as const, public: !hasOwn });

const toListedUser = (holder: Grantee) => ({
  id: holder.userId,
  email: holder.email,
  name: holder.name,
  picture: holder.picture,
  ref: holder.ref,
  isMember: isRealUser(holder) ? holder.site !== null : null,
  ...(holder.disabledAt !== null && { disabledAt: isoTime(holder.disabledAt) }),
});

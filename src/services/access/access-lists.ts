/** Lists of the users with access to a site, workspace or document. */
import { allows, ANONYMOUS, EVERYONE, type Actor, type Role } from "../../authorization.ts";
import type { DocumentGrant, SiteGrant, WorkspaceGrant } from "../../authorization.ts";
import type { Grantee } from "../../home/grants.ts";
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
  const isOwner = self?.site === "owners";
  const users = (isOwner ? holders : self ? [self] : []).map((holder) => ({
    ...toListedUser(holder),
    access: holder.site ?? (holder.isGuestOfSite ? ("guests" as const) : null),
  }));
  return { users, ...(!isOwner && partialListFlags(self !== null)) };
}

/** Owners get all users with a role on the workspace or its site; other callers get only themselves. */
export function listWorkspaceAccess({ home }: Context, { actor, orgId, workspaceId }: WorkspaceGrant): AccessList {
  const { maxInheritedRole } = must(home.workspaces.byId(workspaceId), "workspace");
  const holders = home.grants.grantees({ orgId, workspaceId });
  const self = holders.find((holder) => isSelf(holder, actor)) ?? null;
  const own = self && workspaceRole(self, maxInheritedRole);
  const users = (own === "owners" ? holders : self ? [self] : []).map((holder) => ({
    ...toListedUser(holder),
    access: holder.workspace ?? (holder.isGuestOfWorkspace ? ("guests" as const) : null),
    parentAccess: inheritableRole(holder.site),
  }));
  const hasOwn = own !== null || self?.isGuestOfWorkspace === true;
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
  const own = self && documentRole(self, limits);
  const visible = allows(own, "editors") && self ? visibleHolders(self, holders, limits) : self ? [self] : [];
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

const workspaceRole = (holder: Grantee, maxRole: Role | null): Role | null =>
  effectiveRole(holder.workspace, holder.site, maxRole);

const documentRole = (holder: Grantee, { workspaceMaxRole, documentMaxRole }: RoleLimits): Role | null =>
  effectiveRole(holder.document, workspaceRole(holder, workspaceMaxRole), documentMaxRole);

/** Returns the users that an owner or editor of a document sees in its list. */
function visibleHolders(self: Grantee, holders: readonly Grantee[], limits: RoleLimits): readonly Grantee[] {
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

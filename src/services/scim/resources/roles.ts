import { type Role, type SiteRole, weakerRole } from "../../../authorization.ts";
import type { GrantTarget } from "../../../home/grants.ts";
import type { RoleScope } from "../../../home/identity/directory.ts";
import { shortIdOf, uuidOfShortId } from "../../../lib/short-id.ts";
import type { Context } from "../../context.ts";
import type { Json, Resource } from "../protocol/attributes.ts";
import { scimError } from "../protocol/errors.ts";
import { type Filter, matches } from "../protocol/filter.ts";
import { readResource } from "../protocol/input.ts";
import { isSelected, type ListQuery, listResources, select, type Selection } from "../protocol/lists.ts";
import { patchResource, readOperations } from "../protocol/patch.ts";
import { BASE_PATH, ROLE_URN } from "../protocol/urns.ts";
import { recordGroupRole, recordUserRole } from "./audit.ts";
import {
  groupMember,
  type Members,
  readMembers,
  requireGroups,
  requireUsers,
  roleMember,
  userMember,
} from "./members.ts";
import { type RoleName, roleNumber, roleOf, rolesOf } from "./numbers.ts";
import { notFoundError, type ResourceOperations, type ScimContext } from "./scim-context.ts";

export const roleOperations: ResourceOperations = {
  list: (scim, query) => listRoles(scim, query),
  get: (scim, id, selection) => present(scim, findRole(scim.ctx, id), selection),
  replace: (scim, id, body) => replaceRole(scim, id, body),
  patch: (scim, id, body) => patchRole(scim, id, body),
};

const ALL: Selection = { attributes: [], excludedAttributes: [] };
const INHERITED = ["owners", "editors", "viewers"] as const satisfies readonly Role[];

interface ScopedRole {
  readonly scope: RoleScope;
  readonly role: RoleName;
}

function listRoles(scim: ScimContext, query: ListQuery): Resource {
  const { ctx, schemas } = scim;
  const needsMembers =
    (query.filter !== null && mentionsMembers(query.filter)) || /^members\b/i.test(query.sortBy ?? "");
  const filter = query.filter && withCanonicalIds(scim, query.filter);
  const items = scopesFor(ctx, filter)
    .flatMap((scope) => rolesOf(scope.kind).map((role) => ({ scope, role })))
    .toSorted((a, b) => numberOf(a) - numberOf(b));
  return listResources(
    { ...query, filter },
    {
      schema: schemas.Role,
      items,
      describe: (role) => (needsMembers ? roleResource(scim, role) : roleFacts(scim, role)),
      matches: (resource: Resource, condition: Filter) => matches(resource, condition),
      present: (role, selection) => present(scim, role, selection),
    },
  );
}

/** Most lists are about one document: its roles are found without reading all. */
function scopesFor({ home }: Context, filter: Filter | null): RoleScope[] {
  const uuid = filter && demandedDocument(filter);
  if (uuid === null) return home.directory.scopes();
  const document = home.reach.document(uuidOfShortId(uuid) ?? uuid, { userId: 0, domain: null });
  const scope = document && home.directory.scope({ kind: "document", id: document.documentId });
  return scope ? [scope] : [];
}

function demandedDocument(filter: Filter): string | null {
  if ("filters" in filter)
    return filter.kind === "or" ? null : (filter.filters.map(demandedDocument).find((one) => one !== null) ?? null);
  const isDocument = filter.kind === "compare" && filter.by === "eq" && filter.path.join(".").toLowerCase() === "docid";
  return isDocument && typeof filter.value === "string" ? filter.value : null;
}

const mentionsMembers = (filter: Filter): boolean =>
  "filters" in filter ? filter.filters.some(mentionsMembers) : filter.path[0]?.toLowerCase() === "members";

/** Ids of documents in a filter may have any of their forms. */
function withCanonicalIds(scim: ScimContext, filter: Filter): Filter {
  if ("filters" in filter) return { ...filter, filters: filter.filters.map((one) => withCanonicalIds(scim, one)) };
  if (filter.kind !== "compare" || filter.path.join(".").toLowerCase() !== "docid") return filter;
  if (typeof filter.value !== "string" || (filter.by !== "eq" && filter.by !== "ne")) return filter;
  const found = scim.ctx.home.reach.document(filter.value, { userId: 0, domain: null });
  return found ? { ...filter, value: documentIdOf(scim, found.uuid) } : filter;
}

const documentIdOf = ({ docIds }: ScimContext, uuid: string): string => (docIds === "short" ? shortIdOf(uuid) : uuid);

const numberOf = ({ scope, role }: ScopedRole): number => roleNumber(scope, role);

function present(scim: ScimContext, role: ScopedRole, selection: Selection): Resource {
  const needsMembers = selection.attributes.length === 0 || isSelected(selection, "members");
  const resource = needsMembers ? roleResource(scim, role) : roleFacts(scim, role);
  return select(resource, scim.schemas.Role, selection);
}

function roleFacts(scim: ScimContext, { scope, role }: ScopedRole): Resource {
  const number = roleNumber(scope, role);
  return {
    schemas: [ROLE_URN],
    id: String(number),
    meta: { resourceType: "Role", location: `${BASE_PATH}/Roles/${number}` },
    displayName: role,
    ...placeOf(scim, scope),
  };
}

function placeOf(scim: ScimContext, { kind, id, uuid }: RoleScope): Resource {
  if (kind === "document") return { docId: documentIdOf(scim, uuid ?? "") };
  return kind === "workspace" ? { workspaceId: id } : { orgId: id };
}

function roleResource(scim: ScimContext, role: ScopedRole): Resource {
  const { displayName, schemas, id, meta, ...place } = roleFacts(scim, role);
  return {
    schemas: schemas ?? [],
    id: id ?? "",
    meta: meta ?? {},
    displayName: displayName ?? "",
    members: membersOf(scim.ctx, role),
    ...place,
  };
}

function membersOf(ctx: Context, { scope, role }: ScopedRole): Json[] {
  if (role === "guests") return guestsOf(ctx, scope);
  const { home } = ctx;
  const users = home.directory.holdersOf(scope).filter((holder) => holder.role === role);
  const groups = home.groups.granteesOf(scope).filter((holder) => holder.role === role);
  return [
    ...users.map(({ userId, name }) => userMember(userId, name)),
    ...groups.map(({ groupId, name }) => groupMember(groupId, name)),
    ...inheritedRoles(scope, role).map((inherited) => roleMember(roleNumber(parentOf(scope), inherited), inherited)),
  ];
}

/** Users with a role on something in a site or workspace, and none on itself. */
function guestsOf({ home }: Context, scope: RoleScope): Json[] {
  if (scope.kind === "document") return [];
  const isWorkspace = scope.kind === "workspace";
  const targets = isWorkspace ? { orgId: scope.parentId ?? 0, workspaceId: scope.id } : { orgId: scope.id };
  return home.grants
    .grantees(targets)
    .filter((one) => (isWorkspace ? one.isGuestOfWorkspace && !one.workspace : one.isGuestOfSite && !one.site))
    .map(({ userId, name }) => userMember(userId, name));
}

const parentOf = ({ kind, parentId }: RoleScope): GrantTarget => ({
  kind: kind === "document" ? "workspace" : "site",
  id: parentId ?? 0,
});

/** Returns the roles of the level above whose members have this role. */
function inheritedRoles({ kind, maxInheritedRole }: RoleScope, role: RoleName): Role[] {
  if (kind === "site") return [];
  return INHERITED.filter((above) => weakerRole(above, maxInheritedRole) === role);
}

/** @throws AppError `notFound` */
function findRole({ home }: Context, number: number): ScopedRole {
  const ref = roleOf(number);
  const scope = ref && home.directory.scope(ref.target);
  if (!scope) throw notFoundError("Role", number);
  return { scope, role: ref.role };
}

function replaceRole(scim: ScimContext, number: number, body: unknown): Resource {
  const members = readMembers(readResource(scim.schemas.Role, body));
  const role = findRole(scim.ctx, number);
  setMembers(scim, role, members);
  return present(scim, role, ALL);
}

function patchRole(scim: ScimContext, number: number, body: unknown): Resource | null {
  const operations = readOperations(body);
  const role = findRole(scim.ctx, number);
  const before = roleResource(scim, role);
  setMembers(scim, role, readMembers(patchResource(scim.schemas.Role, before, operations)));
  const after = roleResource(scim, role);
  return Bun.deepEquals(before, after) ? null : after;
}

/**
 * Sets who has a role on a resource. Inherited roles stay. Users and groups have one role on a resource: a new one
 * replaces the former one.
 */
function setMembers({ ctx, grant: { actor } }: ScimContext, { scope, role }: ScopedRole, members: Members): void {
  const { home } = ctx;
  if (role === "guests") return requireUnchangedGuests(ctx, scope, members);
  requireUsers(ctx, members.users, ["person", "service", "pseudo"]);
  requireGroups(ctx, members.groups);
  home.transaction(() => {
    const hadOwner = home.directory.hasOwner(scope);
    const users = rolesByHolder(home.directory.holdersOf(scope).map((one) => [one.userId, one.role]));
    const groups = rolesByHolder(home.groups.granteesOf(scope).map((one) => [one.groupId, one.role]));
    for (const [userId, after] of changesOf(users, members.users, role)) {
      home.grants.set(scope, userId, after);
      recordUserRole(ctx, actor, { target: scope, userId, before: users.get(userId) ?? null, after });
    }
    for (const [groupId, after] of changesOf(groups, members.groups, role)) {
      home.groups.grant(scope, groupId, after);
      recordGroupRole(ctx, actor, { target: scope, groupId, before: groups.get(groupId) ?? null, after });
    }
    requireAllowed(ctx, scope);
    if (hadOwner) home.directory.restoreInheritance(scope);
  });
}

const rolesByHolder = (entries: readonly (readonly [number, SiteRole])[]): ReadonlyMap<number, SiteRole> =>
  new Map(entries);

/** Returns the roles to set: `role` for new members, none for former ones. */
function changesOf(
  before: ReadonlyMap<number, SiteRole>,
  members: ReadonlySet<number>,
  role: SiteRole,
): [id: number, role: SiteRole | null][] {
  const removed = [...before].filter(([id, held]) => held === role && !members.has(id));
  const added = [...members].filter((id) => before.get(id) !== role);
  return [...removed.map(([id]): [number, null] => [id, null]), ...added.map((id): [number, SiteRole] => [id, role])];
}

/** Keeps the rules of sharing: sites are not public, and have an owner; personal sites have theirs. */
function requireAllowed({ home }: Context, scope: RoleScope): void {
  if (scope.kind !== "site") return;
  const holders = home.directory.holdersOf(scope);
  if (holders.some(({ userId }) => home.users.byId(userId)?.kind === "pseudo"))
    throw scimError("invalidValue", "A site cannot be made public");
  const ownerId = home.orgs.byId(scope.id)?.owner?.id;
  const keepsOwner = ownerId === undefined || holders.some((one) => one.userId === ownerId && one.role === "owners");
  if (!keepsOwner || !home.directory.hasOwner(scope)) throw scimError("mutability", "A site must keep its owner");
}

function requireUnchangedGuests(ctx: Context, scope: RoleScope, { users, groups }: Members): void {
  const before = guestsOf(ctx, scope).map((one) => (one as Resource)["value"]);
  const isSame = groups.size === 0 && users.size === before.length && before.every((id) => users.has(Number(id)));
  if (!isSame) throw scimError("mutability", "Guests follow from roles on what is in a site or workspace");
}

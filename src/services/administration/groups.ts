/** Groups, for administrators. Those of an identity provider are read only here: it would revert changes. */
import type { UserGrant } from "../../authorization.ts";
import { invalid, notFound } from "../../errors.ts";
import type { Group } from "../../home/identity/groups.ts";
import type { Membership } from "../../home/identity/memberships.ts";
import { guardAdmin } from "../access/guards.ts";
import { createGroup, recordGroup, requireFreeName, requireName } from "../accounts/groups.ts";
import { findUser } from "../accounts/users.ts";
import type { Context } from "../context.ts";
import { recordMembers } from "../scim/resources/audit.ts";

/** Who sets the members of a group: administrators, a provider at sign-ins, or a client of SCIM. */
export type GroupSource = "here" | "provider" | "scim";

export interface ListedGroup {
  readonly id: number;
  readonly name: string;
  readonly source: GroupSource;
  /** The provider in the settings; null for other sources. */
  readonly provider: string | null;
  readonly members: number;
  /** Number of roles on sites, workspaces and documents. */
  readonly roles: number;
}

export interface GroupDetails extends Omit<ListedGroup, "members" | "roles"> {
  readonly members: readonly { readonly userId: number; readonly name: string; readonly email: string }[];
  readonly roles: readonly Membership[];
}

/** Returns the groups by name. @throws AppError `forbidden` */
export function listGroups({ home }: Context, grant: UserGrant): ListedGroup[] {
  guardAdmin(grant, "manage groups");
  return home.groups
    .list()
    .map((group) => ({
      ...describe(group),
      members: home.groups.membersOf(group.id).length,
      roles: home.memberships.ofGroup(group.id).length,
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/** Returns a group with its members, and where it has roles. @throws AppError `forbidden`, `notFound` */
export function describeGroup(ctx: Context, grant: UserGrant, groupId: number): GroupDetails {
  guardAdmin(grant, "manage groups");
  const { home } = ctx;
  return {
    ...describe(findGroup(ctx, groupId)),
    members: home.groups.membersOf(groupId),
    roles: home.memberships.ofGroup(groupId),
  };
}

/** Creates a group without members. @throws AppError `forbidden`, `invalid`; `conflict` if the name is taken */
export function addGroup(ctx: Context, grant: UserGrant, name: string): number {
  guardAdmin(grant, "manage groups");
  return createGroup(ctx, { name, managedBy: null, externalId: null }, grant.actor).id;
}

/** @throws AppError `forbidden`, `notFound`, `invalid`, also for a group of a provider; `conflict` if the name is taken */
export function renameGroup(
  ctx: Context,
  grant: UserGrant,
  { groupId, name: text }: { readonly groupId: number; readonly name: string },
): void {
  guardAdmin(grant, "manage groups");
  const name = requireName(text);
  const { home } = ctx;
  home.transaction(() => {
    const group = requireOwnGroup(ctx, groupId);
    if (name === group.name) return;
    requireFreeName(home, name, groupId);
    home.groups.change(groupId, { name });
    recordGroup(ctx, { event: "group.changed", actor: grant.actor, group: { ...group, name } });
  });
}

/** Adds a user, or removes one. Idempotent. @throws AppError `forbidden`, `notFound`; `invalid` for a group of a provider */
export function setMembership(
  ctx: Context,
  grant: UserGrant,
  { groupId, userId, isMember }: { readonly groupId: number; readonly userId: number; readonly isMember: boolean },
): void {
  guardAdmin(grant, "manage groups");
  const { home } = ctx;
  home.transaction(() => {
    requireOwnGroup(ctx, groupId);
    if (findUser(ctx, userId).kind !== "person") throw invalid("Only people are members of groups");
    const before = new Set(home.groups.membersOf(groupId).map((member) => member.userId));
    if (before.has(userId) === isMember) return;
    if (isMember) home.groups.addMember(groupId, userId);
    else home.groups.removeMember(groupId, userId);
    const after = new Set(isMember ? [...before, userId] : [...before].filter((each) => each !== userId));
    recordMembers(ctx, grant.actor, { groupId, before, after });
    restoreOwners(ctx, groupId);
  });
}

/** Deletes a group with its roles. @throws AppError `forbidden`, `notFound`; `invalid` for a group of SCIM */
export function removeGroup(ctx: Context, grant: UserGrant, groupId: number): void {
  guardAdmin(grant, "manage groups");
  const { home } = ctx;
  home.transaction(() => {
    const group = findGroup(ctx, groupId);
    if (sourceOf(group) === "scim") throw invalid(READ_ONLY);
    const owned = home.groups.ownedBy(groupId);
    const before = new Set(home.groups.membersOf(groupId).map(({ userId }) => userId));
    recordMembers(ctx, grant.actor, { groupId, before, after: new Set() });
    recordGroup(ctx, { event: "group.deleted", actor: grant.actor, group });
    home.groups.remove(groupId);
    for (const target of owned) home.directory.restoreInheritance(target);
  });
}

const READ_ONLY = "The identity provider manages this group";

const sourceOf = ({ managedBy, externalId }: Group): GroupSource =>
  managedBy !== null ? "provider" : externalId !== null ? "scim" : "here";

const describe = (group: Group): Pick<ListedGroup, "id" | "name" | "source" | "provider"> => ({
  id: group.id,
  name: group.name,
  source: sourceOf(group),
  provider: group.managedBy,
});

function findGroup({ home }: Context, groupId: number): Group {
  const group = home.groups.byId(groupId);
  if (!group) throw notFound("Group not found", "group.not_found");
  return group;
}

/** @throws AppError `notFound`; `invalid` for a group of a provider */
function requireOwnGroup(ctx: Context, groupId: number): Group {
  const group = findGroup(ctx, groupId);
  if (sourceOf(group) !== "here") throw invalid(READ_ONLY);
  return group;
}

/** Resources that a group without members owned alone are inherited by the owners of the level above. */
function restoreOwners({ home }: Context, groupId: number): void {
  for (const target of home.groups.ownedBy(groupId)) home.directory.restoreInheritance(target);
}

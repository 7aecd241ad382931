import type { Group } from "../../../home/identity/groups.ts";
import { recordGroup } from "../../accounts/groups.ts";
import type { Context } from "../../context.ts";
import { isObject, type Json, type Resource, textAt } from "../protocol/attributes.ts";
import { scimError } from "../protocol/errors.ts";
import { type Filter, matches } from "../protocol/filter.ts";
import { readResource } from "../protocol/input.ts";
import { type ListQuery, listResources, select, type Selection } from "../protocol/lists.ts";
import { patchResource, readOperations } from "../protocol/patch.ts";
import { BASE_PATH, GROUP_URN } from "../protocol/urns.ts";
import { recordMembers } from "./audit.ts";
import { readMembers, requireUsers, userMember } from "./members.ts";
import { groupIdOf, groupNumber } from "./numbers.ts";
import {
  limitLength,
  MAX_NAME_LENGTH,
  notFoundError,
  type ResourceOperations,
  type ScimContext,
} from "./scim-context.ts";

export const groupOperations: ResourceOperations = {
  list: (scim, query) => listGroups(scim, query),
  get: (scim, id, selection) => present(scim, findGroup(scim.ctx, id), selection),
  create: (scim, body) => createGroup(scim, body),
  replace: (scim, id, body) => replaceGroup(scim, id, body),
  patch: (scim, id, body) => patchGroup(scim, id, body),
  remove: (scim, id) => removeGroup(scim, id),
};

const ALL: Selection = { attributes: [], excludedAttributes: [] };

function listGroups(scim: ScimContext, query: ListQuery): Resource {
  const { schemas, ctx } = scim;
  return listResources(query, {
    schema: schemas.Group,
    items: ctx.home.groups.list(),
    describe: (group) => groupResource(ctx, group),
    matches: (resource: Resource, filter: Filter) => matches(resource, filter),
    present: (group, selection) => present(scim, group, selection),
  });
}

const present = ({ ctx, schemas }: ScimContext, group: Group, selection: Selection): Resource =>
  select(groupResource(ctx, group), schemas.Group, selection);

function groupResource({ home }: Context, { id, name, externalId }: Group): Resource {
  const number = groupNumber(id);
  return {
    schemas: [GROUP_URN],
    id: String(number),
    meta: { resourceType: "Group", location: `${BASE_PATH}/Groups/${number}` },
    ...(externalId !== null && { externalId }),
    displayName: name,
    members: home.groups.membersOf(id).map((member) => userMember(member.userId, member.name)),
  };
}

/** @throws AppError `notFound` */
function findGroup({ home }: Context, number: number): Group {
  const id = groupIdOf(number);
  const group = id === null ? null : home.groups.byId(id);
  if (!group) throw notFoundError("Group", number);
  return group;
}

function createGroup(scim: ScimContext, body: unknown): Resource {
  const { ctx, schemas } = scim;
  const input = readGroup(readResource(schemas.Group, body));
  return ctx.home.transaction(() => {
    requireFreeName(ctx, input.name, null);
    requireUsers(ctx, input.users, ["person"]);
    const group = ctx.home.groups.add(input);
    recordGroup(ctx, { event: "group.created", actor: scim.grant.actor, group });
    ctx.home.groups.setMembers(group.id, [...input.users]);
    recordMembers(ctx, scim.grant.actor, { groupId: group.id, before: new Set(), after: input.users });
    return present(scim, group, ALL);
  });
}

function replaceGroup(scim: ScimContext, number: number, body: unknown): Resource {
  const { ctx, schemas } = scim;
  const input = readGroup(readResource(schemas.Group, body));
  changeGroup(scim, findGroup(ctx, number), input);
  return present(scim, findGroup(ctx, number), ALL);
}

function patchGroup(scim: ScimContext, number: number, body: unknown): Resource | null {
  const { ctx, schemas } = scim;
  const operations = readOperations(body);
  const before = groupResource(ctx, findGroup(ctx, number));
  const input = readGroup(patchResource(schemas.Group, before, operations));
  changeGroup(scim, findGroup(ctx, number), input);
  const after = groupResource(ctx, findGroup(ctx, number));
  return Bun.deepEquals(before, after) ? null : after;
}

interface GroupInput {
  readonly name: string;
  readonly externalId: string | null;
  readonly users: ReadonlySet<number>;
}

function readGroup(resource: Resource): GroupInput {
  const members = (resource["members"] ?? []) as readonly Json[];
  if (members.some((member) => isObject(member) && member["type"] === "Group"))
    throw scimError("invalidValue", "A group cannot have groups as members");
  const name = limitLength("displayName", textAt(resource, "displayName").trim(), MAX_NAME_LENGTH);
  if (name === "") throw scimError("invalidValue", "displayName is required");
  const externalId = resource["externalId"];
  return {
    name,
    externalId: typeof externalId === "string" ? limitLength("externalId", externalId, MAX_NAME_LENGTH) || null : null,
    users: readMembers(resource).users,
  };
}

function changeGroup({ ctx, grant }: ScimContext, group: Group, { name, externalId, users }: GroupInput): void {
  const { home } = ctx;
  home.transaction(() => {
    requireFreeName(ctx, name, group.id);
    requireUsers(ctx, users, ["person"]);
    const before = new Set(home.groups.membersOf(group.id).map(({ userId }) => userId));
    home.groups.change(group.id, { name, externalId });
    if (name !== group.name)
      recordGroup(ctx, { event: "group.changed", actor: grant.actor, group: { ...group, name } });
    recordMembers(ctx, grant.actor, { groupId: group.id, before, after: users });
    home.groups.setMembers(group.id, [...users]);
    restoreOwners(ctx, group.id);
  });
}

function removeGroup({ ctx, grant }: ScimContext, number: number): void {
  const { home } = ctx;
  home.transaction(() => {
    const group = findGroup(ctx, number);
    const owned = home.groups.ownedBy(group.id);
    const before = new Set(home.groups.membersOf(group.id).map(({ userId }) => userId));
    recordMembers(ctx, grant.actor, { groupId: group.id, before, after: new Set() });
    recordGroup(ctx, { event: "group.deleted", actor: grant.actor, group });
    home.groups.remove(group.id);
    for (const target of owned) home.directory.restoreInheritance(target);
  });
}

/** What a group without members owned alone is inherited by the owners of the level above. */
function restoreOwners({ home }: Context, groupId: number): void {
  for (const target of home.groups.ownedBy(groupId)) home.directory.restoreInheritance(target);
}

function requireFreeName({ home }: Context, name: string, ownId: number | null): void {
  const found = home.groups.byName(name);
  if (found && found.id !== ownId) throw scimError("uniqueness", `A group named ${JSON.stringify(name)} exists`);
}

import {
  addGroup,
  describeGroup,
  listGroups,
  removeGroup,
  renameGroup,
  setMembership,
} from "../../../services/administration/groups.ts";
import {
  GroupDetails,
  GroupMemberParams,
  GroupName,
  GroupParams,
  ListedGroups,
} from "../../../wire/administration/groups.ts";
import { NullResponse } from "../../../wire/common/null-response.ts";
import type { UserGrant } from "../../../authorization.ts";
import type { Context } from "../../../services/context.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess, adminSessionAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

const tag = "groups";
const path = "/api/groups";
const NOT_FOUND = { 404: "The group does not exist." };
const MEMBER_NOT_FOUND = { 404: "The group or the user does not exist." };
const TAKEN = { 409: "Another group has the name." };

const groupResponse = (ctx: Context, grant: UserGrant, groupId: number) => {
  const { members, roles, ...group } = describeGroup(ctx, grant, groupId);
  return jsonResponse({ ...group, members: [...members], roles: [...roles] });
};

/** Routes of groups, for administrators. */
export const groupRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listGroups",
      tag,
      summary: "List the groups",
      access: adminAccess,
      response: ListedGroups,
    },
    ({ ctx, grant }) => jsonResponse({ groups: listGroups(ctx, grant) }),
  ),
  route(
    {
      method: "post",
      path,
      id: "addGroup",
      tag,
      summary: "Create a group",
      access: adminSessionAccess,
      body: jsonBody(GroupName),
      idempotency: "ignored",
      response: GroupDetails,
      further: TAKEN,
    },
    ({ ctx, grant, body }) => groupResponse(ctx, grant, addGroup(ctx, grant, body.name)),
  ),
  route(
    {
      method: "get",
      path: `${path}/{groupId}`,
      id: "describeGroup",
      tag,
      summary: "Get a group",
      about: "Its members, and its roles on sites, workspaces and documents.",
      access: adminAccess,
      params: GroupParams,
      response: GroupDetails,
      further: NOT_FOUND,
    },
    ({ ctx, grant, params }) => groupResponse(ctx, grant, params.groupId),
  ),
  route(
    {
      method: "patch",
      path: `${path}/{groupId}`,
      id: "renameGroup",
      tag,
      summary: "Rename a group",
      about: "400 for a group of an identity provider.",
      access: adminSessionAccess,
      params: GroupParams,
      body: jsonBody(GroupName),
      response: GroupDetails,
      further: { ...NOT_FOUND, ...TAKEN },
    },
    ({ ctx, grant, params: { groupId }, body: { name } }) => {
      renameGroup(ctx, grant, { groupId, name });
      return groupResponse(ctx, grant, groupId);
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/{groupId}`,
      id: "removeGroup",
      tag,
      summary: "Delete a group",
      about: "Its members lose what they had access to through it. 400 for a group of a client of SCIM.",
      access: adminSessionAccess,
      params: GroupParams,
      response: NullResponse,
      further: NOT_FOUND,
    },
    ({ ctx, grant, params }) => {
      removeGroup(ctx, grant, params.groupId);
      return jsonResponse(null);
    },
  ),
  ...(["put", "delete"] as const).map((method) =>
    route(
      {
        method,
        path: `${path}/{groupId}/members/{userId}`,
        id: method === "put" ? "addGroupMember" : "removeGroupMember",
        tag,
        summary: method === "put" ? "Add a user to a group" : "Remove a user from a group",
        about: "400 for a group of an identity provider.",
        access: adminSessionAccess,
        params: GroupMemberParams,
        response: NullResponse,
        further: MEMBER_NOT_FOUND,
      },
      ({ ctx, grant, params }) => {
        setMembership(ctx, grant, { ...params, isMember: method === "put" });
        return jsonResponse(null);
      },
    ),
  ),
];

import { isoTime } from "../../lib/time/clock.ts";
import { z } from "../../wire/common/schema.ts";
import { changeAdministrator, endSessionsOf, removeOtherUser } from "../../services/accounts/administrators.ts";
import { deleteUser, disableUser, enableUser } from "../../services/accounts/users.ts";
import {
  describeUser,
  describeUserDetails,
  searchUsers,
  type AdministeredUser as AdministeredUserFacts,
} from "../../services/administration/users.ts";
import {
  AdministeredUser,
  AdministeredUsers,
  UserChange,
  UserDeletion,
  UserDetails,
  UserParams,
  UserQuery,
} from "../../wire/accounts/users.ts";
import { adminAccess, adminSessionAccess, signedInAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "users";
const path = "/api/users/{userId}";

const NOT_FOUND = { 404: "The user does not exist." };
const LAST = { 409: "The user is the last administrator." };

export const userRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: "/api/users",
      id: "listUsers",
      tag,
      summary: "List the users of the installation",
      about: "People and service accounts, in pages.",
      access: adminAccess,
      query: UserQuery,
      response: AdministeredUsers,
    },
    ({ ctx, grant, query: { q: search = "", show = "all", sort = "added", offset = 0, limit = 100 } }) => {
      const { users, total } = searchUsers(ctx, grant, { search, show, sort, offset, limit });
      return jsonResponse({ users: users.map(presentUser), total });
    },
  ),
  route(
    {
      method: "get",
      path,
      id: "describeUser",
      tag,
      summary: "Get a user",
      about: "With sessions, API keys without their secrets, roles and groups.",
      access: adminAccess,
      params: UserParams,
      response: UserDetails,
      further: NOT_FOUND,
    },
    async ({ ctx, grant, params }) => {
      const { user, ...details } = await describeUserDetails(ctx, grant, params.userId);
      return jsonResponse({ ...presentUser(user), ...details });
    },
  ),
  route(
    {
      method: "patch",
      path,
      id: "changeUser",
      tag,
      summary: "Make a user an administrator, or end that",
      about:
        "Makes a user an administrator of the installation, or ends that. 409 with `user.last_administrator` if no other administrator could sign in.",
      access: adminSessionAccess,
      params: UserParams,
      body: jsonBody(UserChange),
      response: AdministeredUser,
      further: { ...NOT_FOUND, ...LAST },
    },
    ({ ctx, grant, params: { userId }, body: { isAdmin } }) => {
      changeAdministrator(ctx, grant, { userId, isAdmin });
      return jsonResponse(presentUser(describeUser(ctx, grant, userId)));
    },
  ),
  route(
    {
      method: "delete",
      path,
      id: "deleteUser",
      tag,
      summary: "Permanently delete the caller's account",
      about:
        "Deletes the profile, keys, sessions, roles, service accounts, and the personal site with its documents. Content in other sites is preserved; if the user was its only owner, the owners of the enclosing workspace or site take over. Refused while a team site has no other owner.",
      access: signedInAccess,
      params: UserParams,
      body: jsonBody(UserDeletion),
      // A retry has no valid key any more.
      idempotency: "ignored",
      response: z.null(),
    },
    async ({ ctx, grant, params, body }) => {
      await deleteUser(ctx, grant, { ...params, ...body });
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/disable`,
      id: "disableUser",
      tag,
      summary: "Disable a user",
      about:
        "Rejects the user's keys immediately and ends their sessions. Requires an administrator of the installation.",
      access: signedInAccess,
      params: UserParams,
      response: z.null(),
    },
    ({ ctx, grant, params }) => {
      disableUser(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/enable`,
      id: "enableUser",
      tag,
      summary: "Enable a disabled user",
      about: "Requires an administrator of the installation.",
      access: signedInAccess,
      params: UserParams,
      response: z.null(),
    },
    ({ ctx, grant, params }) => {
      enableUser(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/end-sessions`,
      id: "endSessionsOfUser",
      tag,
      summary: "End all sessions of a user",
      about: "Signs the user out everywhere, effective from the next request. API keys stay valid.",
      access: adminAccess,
      params: UserParams,
      response: z.null(),
      further: NOT_FOUND,
    },
    ({ ctx, grant, params }) => {
      endSessionsOf(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/remove`,
      id: "removeUser",
      tag,
      summary: "Delete another user",
      about:
        "Deletes the profile, keys, sessions, roles, memberships and service accounts. The personal site stays in the trash for 30 days. Content in other sites is preserved; if the user was its only owner, the owners of the enclosing workspace or site take over. 400 for the caller, and while a team site has no other owner; 409 with `user.last_administrator` for the last administrator.",
      access: adminSessionAccess,
      params: UserParams,
      response: z.null(),
      further: { ...NOT_FOUND, ...LAST },
    },
    ({ ctx, grant, params }) => {
      removeOtherUser(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
];

const presentUser = ({ createdAt, lastActiveAt, ...user }: AdministeredUserFacts) => ({
  ...user,
  createdAt: isoTime(createdAt),
  lastActiveAt: lastActiveAt === null ? null : isoTime(lastActiveAt),
});

import { z } from "../../wire/common/schema.ts";
import { deleteUser, disableUser, enableUser } from "../../services/accounts/users.ts";
import { UserDeletion, UserParams } from "../../wire/accounts/users.ts";
import { signedInAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "users";
const path = "/api/users/{userId}";

export const userRoutes: readonly Route[] = [
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
];

import { isoTime } from "../../../lib/time/clock.ts";
import {
  createInvitationLink,
  type InvitationLink as NewLink,
  inviteUser,
  listInvitations,
  revokeInvitation,
  sendInvitation,
} from "../../../services/invitations/invitations.ts";
import { guardSite } from "../../../services/access/guards.ts";
import { invitationPath } from "../../../services/invitations/tokens.ts";
import { UserParams } from "../../../wire/accounts/users.ts";
import { NullResponse } from "../../../wire/common/null-response.ts";
import { InvitationLink, Invitations, NewInvitation } from "../../../wire/email/invitations.ts";
import type { Call } from "../../call.ts";
import { jsonResponse } from "../../responses.ts";
import { adminAccess, signedInAccess } from "../../route-access.ts";
import { jsonBody, route, type Route } from "../../route.ts";

const tag = "invitations";
const path = "/api/invitations";

/** Routes of users who have not signed in yet. */
export const invitationRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path,
      id: "listInvitations",
      tag,
      summary: "List the users who have not signed in yet",
      about: "Users who were added, or with whom something was shared, and who have not made their account.",
      access: adminAccess,
      response: Invitations,
    },
    ({ ctx, grant }) =>
      jsonResponse({
        invitations: listInvitations(ctx, grant).map(({ invitedAt, expiresAt, ...invitation }) => ({
          ...invitation,
          invitedAt: invitedAt === null ? null : isoTime(invitedAt),
          expiresAt: expiresAt === null ? null : isoTime(expiresAt),
        })),
      }),
  ),
  route(
    {
      method: "post",
      path,
      id: "inviteUser",
      tag,
      summary: "Add a user",
      about:
        "Adds a user with a personal site and returns the link with which they make their account, valid for seven days. If email is on, the link is also sent to the address. For a user who has not signed in yet, earlier links end. 409 with `user.exists` for an account that has signed in.",
      access: adminAccess,
      body: jsonBody(NewInvitation),
      // The answer contains a secret.
      idempotency: "ignored",
      response: InvitationLink,
      further: {
        403: "Only owners of the site give roles on it; API keys make no administrators.",
        404: "The site does not exist.",
      },
    },
    ({ call, ctx, grant, body: { site, ...user } }) => {
      const siteGrant = site && guardSite(ctx, call.actor, call.scope, String(site.id), "owners");
      const invited = { ...user, ...(site && siteGrant && { site: { grant: siteGrant, role: site.role } }) };
      return jsonResponse(describeLink(call, inviteUser(ctx, grant, invited)));
    },
  ),
  route(
    {
      method: "delete",
      path: `${path}/{userId}`,
      id: "revokeInvitation",
      tag,
      summary: "Revoke an invitation",
      about:
        "Deletes a user who has not signed in yet, with everything that was shared with them; their links end. Other users are not found.",
      access: adminAccess,
      params: UserParams,
      response: NullResponse,
      further: { 404: "No user with this id has been invited." },
    },
    ({ ctx, grant, params }) => {
      revokeInvitation(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/{userId}/link`,
      id: "createInvitationLink",
      tag,
      summary: "Create a link for an invited user",
      about:
        "For administrators, and with `QUERN_INVITATION_LINKS=owners` for the one user who invited them, while no one else has shared anything with them. All other users are not found. A link of an administrator ends earlier links.",
      access: signedInAccess,
      params: UserParams,
      idempotency: "ignored",
      response: InvitationLink,
      further: { 404: "No user with this id has been invited, or the caller may not have the link." },
    },
    ({ call, ctx, grant, params: { userId } }) => {
      const { invitationLinks: linksFor } = call.config;
      return jsonResponse(describeLink(call, createInvitationLink(ctx, grant, { userId, linksFor })));
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/{userId}/send`,
      id: "sendInvitation",
      tag,
      summary: "Send an invitation again",
      about:
        "Sends the link to the address of an invited user. For administrators and the user who invited them, at most 20 times in a day; all other users are not found.",
      access: signedInAccess,
      params: UserParams,
      // A repeated request is to send it again.
      idempotency: "ignored",
      response: NullResponse,
      further: {
        404: "No user with this id has been invited by the caller.",
        429: "The daily number of invitations is reached.",
      },
    },
    ({ ctx, grant, params }) => {
      sendInvitation(ctx, grant, params.userId);
      return jsonResponse(null);
    },
  ),
];

/** The link is shown to the caller alone, so it may begin with the address of their request. */
const describeLink = ({ config, origin }: Call, { userId, email, name, token, expiresAt, isSent }: NewLink) => ({
  userId,
  email,
  link: (config.publicUrl ?? origin) + invitationPath(token, name),
  expiresAt: isoTime(expiresAt),
  isSent,
});

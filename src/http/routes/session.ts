import { z } from "../../wire/common/schema.ts";
import { guardSite } from "../../services/access/guards.ts";
import { describeOrg, listOrgs } from "../../services/sites/orgs.ts";
import { describeProfile } from "../../services/accounts/profile.ts";
import { selectUser, describeSession } from "../../services/accounts/session.ts";
import { ActiveSession, AllSessions, UserChoice } from "../../wire/accounts/session.ts";
import { anyoneAccess } from "../route-access.ts";
import { jsonResponse } from "../responses.ts";
import type { Call } from "../call.ts";
import { STATUS_BY_KIND } from "../error-responses.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "session";
const path = "/api/session/access";

/** Routes of the caller's session and current site. */
export const sessionRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/active`,
      id: "getActiveSession",
      tag,
      summary: "Get the caller and the current site",
      about: "If the site does not exist or the caller has no access, the response is 200 with `orgError`.",
      access: anyoneAccess,
      response: ActiveSession,
    },
    ({ call, ctx, grant }) => {
      const { orgError, ...session } = describeSession(ctx, grant.actor, () => describeAddressedSite(call));
      return jsonResponse({ ...session, ...(orgError && { orgError: errorSummary(orgError) }) });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/active`,
      id: "chooseActiveUser",
      tag,
      summary: "Switch to another signed-in user",
      about:
        "Only one user can be signed in per session, so only that user is accepted. Requests with an API key get 403.",
      access: anyoneAccess,
      requestClass: "anywhere",
      body: jsonBody(UserChoice),
      idempotency: "ignored",
      response: z.null(),
    },
    ({ grant, body }) => {
      selectUser(grant.actor, body.email);
      return jsonResponse(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/all`,
      id: "getAllSessions",
      tag,
      summary: "List the signed-in users and their sites",
      access: anyoneAccess,
      response: AllSessions,
    },
    ({ ctx, grant }) =>
      jsonResponse({ users: [describeProfile(ctx, grant.actor)], orgs: listOrgs(ctx, grant, { merged: true }) }),
  ),
];

function describeAddressedSite({ ctx, actor, scope }: Call) {
  return scope.kind === "team" ? describeOrg(ctx, guardSite(ctx, actor, scope, "current", "guests")) : null;
}

const errorSummary = ({ message, code }: { message: string; code: keyof typeof STATUS_BY_KIND }) => ({
  error: message,
  status: STATUS_BY_KIND[code],
});

import { z } from "@hono/zod-openapi";
import { guardSite } from "../../services/guards.ts";
import { describeOrg, listOrgs } from "../../services/orgs.ts";
import { describeProfile } from "../../services/profile.ts";
import { chooseUser, describeSession } from "../../services/session.ts";
import { ActiveSession, AllSessions, UserChoice } from "../../wire/session.ts";
import { anyone } from "../access.ts";
import { json } from "../answers.ts";
import type { Call } from "../call.ts";
import { STATUS } from "../errors.ts";
import { jsonBody, route, type Route } from "../route.ts";

const tag = "session";
const path = "/api/session/access";

/** Who calls, and where he is. */
export const sessionRoutes: readonly Route[] = [
  route(
    {
      method: "get",
      path: `${path}/active`,
      id: "getActiveSession",
      tag,
      summary: "Who am I, and at which site",
      about: "A site that is closed to the caller, or is none, shows under `orgError`; the answer is 200 all the same.",
      access: anyone,
      answer: ActiveSession,
    },
    ({ call, ctx, grant }) => {
      const { orgError, ...session } = describeSession(ctx, grant.actor, () => describeAddressed(call));
      return json({ ...session, ...(orgError && { orgError: shownError(orgError) }) });
    },
  ),
  route(
    {
      method: "post",
      path: `${path}/active`,
      id: "chooseActiveUser",
      tag,
      summary: "Become one of the users signed in here",
      about: "One user is signed in at a time, so only he is taken; callers with a key get 403.",
      access: anyone,
      body: jsonBody(UserChoice),
      answer: z.null(),
    },
    ({ grant, body }) => {
      chooseUser(grant.actor, body.email);
      return json(null);
    },
  ),
  route(
    {
      method: "get",
      path: `${path}/all`,
      id: "getAllSessions",
      tag,
      summary: "The users signed in here, and their sites",
      access: anyone,
      answer: AllSessions,
    },
    ({ ctx, grant }) =>
      json({ users: [describeProfile(ctx, grant.actor)], orgs: listOrgs(ctx, grant, { merged: true }) }),
  ),
];

function describeAddressed({ ctx, actor, scope }: Call) {
  return scope.kind === "team" ? describeOrg(ctx, guardSite(ctx, actor, scope, "current", "guests")) : null;
}

const shownError = ({ message, code }: { message: string; code: keyof typeof STATUS }) => ({
  error: message,
  status: STATUS[code],
});

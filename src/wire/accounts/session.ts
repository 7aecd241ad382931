import { z } from "@hono/zod-openapi";
import { nullableUnion } from "../common/fields.ts";
import { Org, OrgDescription, prefs } from "../sites/orgs.ts";
import { Profile } from "./profile.ts";

export const UserChoice = z.object({ email: z.string().min(1).max(254) }).openapi("UserChoice");

const SessionUser = Profile.extend({
  isInstallAdmin: z.boolean().openapi({ description: "Administers the installation." }),
  prefs: prefs.optional().openapi({ description: "The caller's own preferences, if any were stored." }),
}).openapi("SessionUser");

/** Who calls, and the site that the request is addressed to. */
export const ActiveSession = z
  .object({
    user: SessionUser,
    org: nullableUnion(OrgDescription).openapi({
      description: "Null where no team site is addressed, or it is closed to the caller.",
    }),
    orgError: z.object({ error: z.string(), status: z.int() }).optional(),
  })
  .openapi("ActiveSession");

export const AllSessions = z.object({ users: z.array(Profile), orgs: z.array(Org) }).openapi("AllSessions");

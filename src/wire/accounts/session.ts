import { z } from "../common/schema.ts";
import { nullableUnion } from "../common/fields.ts";
import { Org, OrgDescription, prefs } from "../sites/orgs.ts";
import { Profile } from "./profile.ts";

export const UserChoice = z.object({ email: z.string().min(1).max(254) }).openapi("UserChoice");

const SessionUser = Profile.extend({
  isInstallAdmin: z.boolean().openapi({ description: "True for administrators of the installation." }),
  prefs: prefs.optional().openapi({ description: "The caller's preferences, if any are stored." }),
}).openapi("SessionUser");

/** The caller, and the site that the request addresses. */
export const ActiveSession = z
  .object({
    user: SessionUser,
    org: nullableUnion(OrgDescription).openapi({
      description: "Null if the request does not address a team site, or the caller has no access to it.",
    }),
    orgError: z.object({ error: z.string(), status: z.int() }).optional(),
  })
  .openapi("ActiveSession");

export const AllSessions = z.object({ users: z.array(Profile), orgs: z.array(Org) }).openapi("AllSessions");

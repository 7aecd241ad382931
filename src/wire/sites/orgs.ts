import { z } from "@hono/zod-openapi";
import { changedName, optionalTime, newName, ListedAccess, time } from "../common/fields.ts";
import { flag } from "../common/query.ts";

/** Sites, as the API speaks of them: "orgs". */

export const OrgParams = z.object({
  org: z.string().min(1).max(100).openapi({
    description: "The site's id, its domain, `docs-<user id>` for a personal site, or `current`.",
    example: "current",
  }),
});

export const OrgNameParams = OrgParams.extend({
  name: z.string().max(10_000).openapi({ description: "The site's domain or name, or `force-delete`." }),
});

export const OrgOwner = z
  .object({
    id: z.int(),
    name: z.string(),
    picture: z.string().nullable(),
    ref: z.string(),
    type: z.enum(["login", "service"]),
    createdAt: time,
  })
  .openapi("OrgOwner");

export type OrgOwner = z.infer<typeof OrgOwner>;

/** What clients keep for themselves. */
export const prefs = z.record(z.string(), z.unknown());

export const Org = z
  .object({
    id: z.int(),
    name: z.string().openapi({ example: "Example Ltd" }),
    domain: z.string().openapi({ example: "team" }),
    host: z.null(),
    owner: OrgOwner.nullable().openapi({ description: "Null for a team site." }),
    access: ListedAccess,
    public: z.literal(true).optional().openapi({
      description: "For callers without a key: the site is shared with anonymous visitors.",
    }),
    createdAt: time,
    updatedAt: time,
  })
  .openapi("Org");
export type Org = z.infer<typeof Org>;

export const OrgDescription = Org.extend({
  userPrefs: prefs.optional().openapi({ description: "The caller's own, when there are any." }),
  userOrgPrefs: prefs.optional().openapi({ description: "The caller's own for this site, when there are any." }),
  orgPrefs: prefs.optional().openapi({ description: "The site's, when there are any." }),
}).openapi("OrgDescription");
export type OrgDescription = z.infer<typeof OrgDescription>;

export const OrgsQuery = z.object({ merged: flag("Show all personal sites as one, with id 0 and domain `docs`.") });

export const OrgCreate = z.strictObject({ name: newName, domain: z.string().max(100).nullish() }).openapi("OrgCreate");
export type OrgCreate = z.infer<typeof OrgCreate>;

export const OrgChange = z
  .strictObject({
    name: changedName,
    domain: z
      .union([z.string().max(100), z.null()])
      .transform((domain) => domain || undefined)
      .optional()
      .openapi({ type: ["string", "null"], description: "Passed over when empty or null." } as never),
    userPrefs: prefs.optional(),
    userOrgPrefs: prefs.optional(),
    orgPrefs: prefs.optional(),
    createdAt: optionalTime,
    updatedAt: optionalTime,
  })
  .openapi("OrgChange");
export type OrgChange = z.infer<typeof OrgChange>;

export const OrgUsage = z
  .object({
    countsByDataLimitStatus: z
      .object({ approachingLimit: z.int(), gracePeriod: z.int(), deleteOnly: z.int() })
      .openapi({ description: "Documents near or over a limit; documents have none here." }),
    workspaces: z.int(),
    documents: z.int(),
    removedDocuments: z.int().openapi({ description: "Those in the trash." }),
  })
  .openapi("OrgUsage");
export type OrgUsage = z.infer<typeof OrgUsage>;

export const DomainCheck = z.object({ domain: z.string().max(1000) }).openapi("DomainQuestion");
export const DomainAvailability = z
  .object({
    valid: z.boolean().openapi({ description: "Whether it has the form of a domain and is not reserved." }),
    available: z.boolean().openapi({ description: "Whether a site can have it." }),
  })
  .openapi("DomainAnswer");
export type DomainAvailability = z.infer<typeof DomainAvailability>;

import { z } from "../common/schema.ts";
import { changedName, optionalTime, newName, ListedAccess, time } from "../common/fields.ts";
import { flag } from "../common/query.ts";

/** Sites; the API calls them "orgs". */

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

/** Preferences of clients, opaque to the server. */
export const prefs = z.record(z.string(), z.unknown());

export const Org = z
  .object({
    id: z.int(),
    name: z.string().openapi({ example: "Example Ltd" }),
    domain: z.string().openapi({ example: "team" }),
    host: z.null(),
    owner: OrgOwner.nullable().openapi({ description: "The owner of a personal site; null for team sites." }),
    access: ListedAccess,
    public: z.literal(true).optional().openapi({
      description: "Present for callers without a key, if the site is shared with anonymous users.",
    }),
    createdAt: time,
    updatedAt: time,
  })
  .openapi("Org");
export type Org = z.infer<typeof Org>;

export const OrgDescription = Org.extend({
  userPrefs: prefs.optional().openapi({ description: "The caller's preferences for all sites, if any." }),
  userOrgPrefs: prefs.optional().openapi({ description: "The caller's preferences for this site, if any." }),
  orgPrefs: prefs.optional().openapi({ description: "The site's preferences, if any." }),
}).openapi("OrgDescription");
export type OrgDescription = z.infer<typeof OrgDescription>;

export const OrgsQuery = z.object({
  merged: flag("Merge all personal sites into one, with id 0 and domain `docs`. Default: false."),
});

export const OrgCreate = z.strictObject({ name: newName, domain: z.string().max(100).nullish() }).openapi("OrgCreate");
export type OrgCreate = z.infer<typeof OrgCreate>;

export const OrgChange = z
  .strictObject({
    name: changedName,
    domain: z
      .union([z.string().max(100), z.null()])
      .transform((domain) => domain || undefined)
      .optional()
      .openapi({ type: ["string", "null"], description: "The new name. Ignored if empty or null." } as never),
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
      .openapi({ description: "Documents that approach or exceed a limit. Always 0: documents have no limits." }),
    workspaces: z.int(),
    documents: z.int(),
    removedDocuments: z.int().openapi({ description: "Number of documents in the trash." }),
  })
  .openapi("OrgUsage");
export type OrgUsage = z.infer<typeof OrgUsage>;

export const DomainCheck = z.object({ domain: z.string().max(1000) }).openapi("DomainQuestion");
export const DomainAvailability = z
  .object({
    valid: z.boolean().openapi({ description: "True if the domain is well-formed and not reserved." }),
    available: z.boolean().openapi({ description: "True if a site can use the domain." }),
  })
  .openapi("DomainAnswer");
export type DomainAvailability = z.infer<typeof DomainAvailability>;

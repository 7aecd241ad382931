import { z } from "@hono/zod-openapi";
import { isEmail } from "../../lib/text/email.ts";
import { time } from "../common/fields.ts";

/** Access lists and changes of them. */

const ASSIGNABLE_ROLES = ["owners", "editors", "viewers"] as const;
const assignableRole = z.enum(ASSIGNABLE_ROLES);

const userFields = {
  id: z.int(),
  email: z.string(),
  name: z.string().openapi({ description: "Empty until an invited person signs in." }),
  picture: z.string().nullable(),
  ref: z.string(),
  isMember: z.boolean().nullable().openapi({ description: "Belongs to the site as more than a guest." }),
  disabledAt: time.optional(),
};

const partialListFields = {
  personal: z.literal(true).optional().openapi({ description: "The list does not show everybody." }),
  public: z.boolean().optional().openapi({ description: "With `personal`: the caller has access as everybody has." }),
};

const listedRole = z.enum([...ASSIGNABLE_ROLES, "members", "guests"]).nullable();

export const OrgAccess = z
  .object({ users: z.array(z.object({ ...userFields, access: listedRole })), ...partialListFields })
  .openapi("OrgAccess");
export type OrgAccess = z.infer<typeof OrgAccess>;

const user = z.object({
  ...userFields,
  access: listedRole.openapi({ description: "Given here; `guests` when something below was given." }),
  parentAccess: assignableRole.nullable().openapi({ description: "Inherited, before maxInheritedRole." }),
});

export const AccessList = z
  .object({ maxInheritedRole: assignableRole.nullable(), users: z.array(user), ...partialListFields })
  .openapi("AccessList");
export type AccessList = z.infer<typeof AccessList>;

/** An empty text takes a role away, as null does. */
const roleEntry = <R extends z.ZodEnum>(role: R) =>
  z
    .union([role, z.literal(""), z.null()])
    .transform((value) => (value === "" ? null : value))
    .openapi({ description: "null takes the role away." });

/** Unknown addresses become users, so that not too many come at a time. */
const MAX_USERS = 1000;

/** Giving a role takes an address; an entry that is none can still be removed. */
const users = <R extends z.ZodEnum>(role: R) =>
  z
    .record(z.string().max(1000), roleEntry(role))
    .superRefine((all, context) => {
      for (const [email, value] of Object.entries(all)) {
        if (value === null || isEmail(email)) continue;
        context.addIssue({ code: "custom", path: [email], message: "is not an e-mail address" });
      }
    })
    .refine((all) => Object.keys(all).length <= MAX_USERS, `may name at most ${MAX_USERS} people at a time`)
    .openapi({
      type: "object",
      maxProperties: MAX_USERS,
      patternProperties: { "^\\s*[^\\s@]+@[^\\s@]+\\s*$": { enum: [...role.options, "", null] } },
      additionalProperties: { enum: ["", null] },
      description: "Roles by e-mail address; null takes the role away.",
      example: { "ann@example.com": "editors", "bob@example.com": null },
    } as never);

export const OrgDelta = z
  .object({
    delta: z
      .looseObject({ users: users(z.enum([...ASSIGNABLE_ROLES, "members"])) })
      .refine((delta) => !("maxInheritedRole" in delta), "a site inherits from nothing"),
  })
  .openapi("OrgDelta");
export type OrgDelta = z.infer<typeof OrgDelta>;

export const Delta = z
  .object({
    delta: z
      .looseObject({ users: users(assignableRole).optional(), maxInheritedRole: assignableRole.nullish() })
      .refine(
        (delta) => delta.users !== undefined || delta.maxInheritedRole !== undefined,
        "needs users or maxInheritedRole",
      )
      .openapi({ anyOf: [{ required: ["users"] }, { required: ["maxInheritedRole"] }] }),
  })
  .openapi("Delta");
export type Delta = z.infer<typeof Delta>;

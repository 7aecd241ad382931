import { z } from "../common/schema.ts";
import { isEmail } from "../../lib/text/email.ts";
import { time } from "../common/fields.ts";

/** Access lists and changes to them. */

const ASSIGNABLE_ROLES = ["owners", "editors", "viewers"] as const;
const assignableRole = z.enum(ASSIGNABLE_ROLES);

const userFields = {
  id: z.int(),
  email: z.string(),
  name: z.string().openapi({ description: "Empty until an invited person signs in." }),
  picture: z.string().nullable(),
  ref: z.string(),
  isMember: z
    .boolean()
    .nullable()
    .openapi({ description: "True if the user belongs to the site as more than a guest." }),
  disabledAt: time.optional(),
};

const partialListFields = {
  personal: z
    .literal(true)
    .optional()
    .openapi({ description: "True if the list contains only the caller, not all users." }),
  public: z
    .boolean()
    .optional()
    .openapi({ description: "With `personal`: true if the caller has access through public sharing." }),
};

const listedRole = z.enum([...ASSIGNABLE_ROLES, "members", "guests"]).nullable();

export const OrgAccess = z
  .object({ users: z.array(z.object({ ...userFields, access: listedRole })), ...partialListFields })
  .openapi("OrgAccess");
export type OrgAccess = z.infer<typeof OrgAccess>;

const user = z.object({
  ...userFields,
  access: listedRole.openapi({
    description: "The role granted directly; `guests` if the user has access only to a resource within.",
  }),
  parentAccess: assignableRole
    .nullable()
    .openapi({ description: "The inherited role, before `maxInheritedRole` is applied." }),
});

export const AccessList = z
  .object({ maxInheritedRole: assignableRole.nullable(), users: z.array(user), ...partialListFields })
  .openapi("AccessList");
export type AccessList = z.infer<typeof AccessList>;

/** Accepts an empty text as null: both remove the role. */
const roleEntry = <R extends z.ZodEnum>(role: R) =>
  z
    .union([role, z.literal(""), z.null()])
    .transform((value) => (value === "" ? null : value))
    .openapi({ description: "The role; null removes it." });

/** A limit per request, since unknown addresses create users. */
const MAX_USERS = 1000;

/** Only entries that grant a role must be addresses: invalid entries can still be removed. */
const users = <R extends z.ZodEnum>(role: R) =>
  z
    .record(z.string().max(1000), roleEntry(role))
    .superRefine((all, context) => {
      for (const [email, value] of Object.entries(all)) {
        if (value === null || isEmail(email)) continue;
        context.addIssue({ code: "custom", path: [email], message: "is not an email address" });
      }
    })
    .refine((all) => Object.keys(all).length <= MAX_USERS, `may have at most ${MAX_USERS} entries`)
    .openapi({
      type: "object",
      maxProperties: MAX_USERS,
      patternProperties: { "^\\s*[^\\s@]+@[^\\s@]+\\s*$": { enum: [...role.options, "", null] } },
      additionalProperties: { enum: ["", null] },
      description: "Roles by email address; null removes a role.",
      example: { "ann@example.com": "editors", "bob@example.com": null },
    } as never);

export const OrgDelta = z
  .object({
    delta: z
      .looseObject({ users: users(z.enum([...ASSIGNABLE_ROLES, "members"])) })
      .refine((delta) => !("maxInheritedRole" in delta), "maxInheritedRole does not apply to sites"),
  })
  .openapi("OrgDelta");
export type OrgDelta = z.infer<typeof OrgDelta>;

export const Delta = z
  .object({
    delta: z
      .looseObject({ users: users(assignableRole).optional(), maxInheritedRole: assignableRole.nullish() })
      .refine(
        (delta) => delta.users !== undefined || delta.maxInheritedRole !== undefined,
        "must have users or maxInheritedRole",
      )
      .openapi({ anyOf: [{ required: ["users"] }, { required: ["maxInheritedRole"] }] }),
  })
  .openapi("Delta");
export type Delta = z.infer<typeof Delta>;

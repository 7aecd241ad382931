import { time } from "../common/fields.ts";
import { z } from "../common/schema.ts";
import { ListedKeys } from "./keys.ts";
import { ListedSessions } from "./sessions.ts";

export const UserParams = z.object({
  userId: z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The user's id.", example: 5 }),
});

export const UserDeletion = z
  .object({ name: z.string().max(1000).openapi({ description: "The user's name, as confirmation." }) })
  .openapi("UserDeletion");

/** Users in the list of administrators. */
export const UserSelection = z
  .enum(["all", "active", "administrators", "pending", "withoutSecondFactor", "disabled", "services"])
  .openapi({ example: "withoutSecondFactor" });
export type UserSelection = z.infer<typeof UserSelection>;

export const UserSort = z.enum([
  ...(["name", "email", "role", "active", "added"] as const),
  ...(["-name", "-email", "-role", "-active", "-added"] as const),
]);
export type UserSort = z.infer<typeof UserSort>;

const integer = (min: number, max: number, description: string) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "must be an integer")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`)
    .optional()
    .openapi({ type: "integer", minimum: min, maximum: max, description } as never);

export const UserQuery = z.object({
  q: z.string().max(200).optional().openapi({ description: "Words that must all occur in the name or the address." }),
  show: UserSelection.optional().openapi({
    description:
      "Only `active` people, who can sign in, `administrators`, `pending` users who have not signed in yet, people `withoutSecondFactor`, `disabled` users, or `services`, which are service accounts. Default: `all`.",
  }),
  sort: UserSort.optional().openapi({ description: "With `-`, descending. Default: `added`." }),
  offset: integer(0, 1_000_000, "Users to skip. Default: 0."),
  limit: integer(1, 1000, "Users on a page. Default: 100."),
});

export const AdministeredUser = z
  .object({
    id: z.int().openapi({ example: 5 }),
    email: z.string().openapi({ example: "bob@example.org" }),
    name: z.string().openapi({ description: "Empty for users who have not signed in yet.", example: "Bob" }),
    isAdmin: z.boolean().openapi({ description: "Whether the user is an administrator of the installation." }),
    isService: z.boolean().openapi({ description: "Whether the user is a service account." }),
    isDisabled: z.boolean(),
    isPending: z.boolean().openapi({ description: "Whether the user has not signed in yet." }),
    hasPassword: z.boolean(),
    hasAuthenticator: z.boolean(),
    passkeys: z.int(),
    hasSecondFactor: z.boolean().openapi({ description: "An authenticator app, or a passkey." }),
    providers: z.array(z.string()).openapi({ description: "Single sign-on providers with a connected account." }),
    keys: z.int().openapi({ description: "The number of API keys." }),
    createdAt: time,
    lastActiveAt: time
      .nullable()
      .openapi({ description: "When a session or key was last used, up to an hour old; null if that is unknown." }),
  })
  .openapi("AdministeredUser");

export const AdministeredUsers = z
  .object({
    users: z.array(AdministeredUser),
    total: z.int().openapi({ description: "The number of users on all pages." }),
  })
  .openapi("AdministeredUsers");

export const Membership = z
  .object({
    kind: z.enum(["site", "workspace", "document"]),
    id: z.int(),
    uuid: z.string().nullable().openapi({ description: "Of a document." }),
    name: z.string(),
    siteName: z.string().openapi({ description: "The name of the owner for personal sites." }),
    workspaceName: z.string().nullable().openapi({ description: "Of a document." }),
    role: z.enum(["owners", "editors", "viewers", "members"]),
    groupName: z.string().nullable().openapi({ description: "The group that the role comes from, if any." }),
  })
  .openapi("Membership");

export const UserDetails = AdministeredUser.extend({
  sessions: ListedSessions.shape.sessions,
  apiKeys: ListedKeys.shape.keys,
  memberships: z.array(Membership).openapi({ description: "Roles outside of the personal site." }),
  groups: z.array(z.object({ id: z.int(), name: z.string() })),
  personalDocuments: z.int().openapi({ description: "Documents in the personal site, also in the trash." }),
}).openapi("UserDetails");

export const UserChange = z
  .object({
    isAdmin: z.boolean().openapi({ description: "Whether the user is an administrator of the installation." }),
  })
  .openapi("UserChange");

import { Membership } from "../accounts/users.ts";
import { z } from "../common/schema.ts";

const group = {
  id: z.int().openapi({ example: 3 }),
  name: z.string().openapi({ example: "Crew" }),
  source: z.enum(["here", "provider", "scim"]).openapi({
    description:
      "The source of the members: administrators `here`, a `provider` of single sign-on, or a client of `scim`. The last two are read only.",
  }),
  provider: z.string().nullable().openapi({ description: "The provider, by its name in the settings." }),
};

export const ListedGroup = z
  .object({
    ...group,
    members: z.int().openapi({ description: "The number of members." }),
    roles: z.int().openapi({ description: "The number of roles on sites, workspaces and documents." }),
  })
  .openapi("ListedGroup");

export const ListedGroups = z.object({ groups: z.array(ListedGroup) }).openapi("ListedGroups");

export const GroupDetails = z
  .object({
    ...group,
    members: z.array(z.object({ userId: z.int(), name: z.string(), email: z.string() })),
    roles: z.array(Membership),
  })
  .openapi("GroupDetails");

export const GroupName = z
  .object({ name: z.string().max(1000).openapi({ description: "1 to 200 characters.", example: "Crew" }) })
  .openapi("GroupName");

const id = (description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description, example: 3 } as never);

export const GroupParams = z.object({ groupId: id("The group's id.") });
export const GroupMemberParams = z.object({ groupId: id("The group's id."), userId: id("The user's id.") });

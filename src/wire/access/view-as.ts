import { z } from "../common/schema.ts";
import { time } from "../common/fields.ts";

/** The users that owners can view a document as. */

const role = z.enum(["owners", "editors", "viewers"]);

const ExampleUser = z
  .object({
    id: z.literal(0),
    email: z.string(),
    name: z.string(),
    access: role.nullable().openapi({ description: "The role; null for no access." }),
  })
  .openapi("ExampleUser");
export type ExampleUser = z.infer<typeof ExampleUser>;

export const UsersForViewAs = z
  .object({
    users: z
      .array(
        z.object({
          id: z.int(),
          email: z.string(),
          name: z.string().openapi({ description: "Empty until an invited person signs in." }),
          picture: z.string().nullable(),
          ref: z.string(),
          disabledAt: time.nullable(),
          access: role.openapi({ description: "The role on the document, inherited or granted directly." }),
          isMember: z.boolean(),
        }),
      )
      .openapi({ description: "All users with access." }),
    attributeTableUsers: z
      .array(ExampleUser)
      .openapi({ description: "Users in the tables that user attributes of the access rules look up by `Email`." }),
    exampleUsers: z.array(ExampleUser).openapi({ description: "Example users, one for each role." }),
  })
  .openapi("UsersForViewAs");
export type UsersForViewAs = z.infer<typeof UsersForViewAs>;

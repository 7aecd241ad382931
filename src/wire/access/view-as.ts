import { z } from "@hono/zod-openapi";
import { time } from "../common/fields.ts";

/** As whom owners can look at a document. */

const role = z.enum(["owners", "editors", "viewers"]);

const ExampleUser = z
  .object({
    id: z.literal(0),
    email: z.string(),
    name: z.string(),
    access: role.nullable().openapi({ description: "Null: no access." }),
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
          access: role.openapi({ description: "The role on the document, inherited or given." }),
          isMember: z.boolean(),
        }),
      )
      .openapi({ description: "Everybody with access." }),
    attributeTableUsers: z
      .array(ExampleUser)
      .openapi({ description: "People in the tables that user attributes of the access rules look up by `Email`." }),
    exampleUsers: z.array(ExampleUser).openapi({ description: "Made-up users of each role." }),
  })
  .openapi("UsersForViewAs");
export type UsersForViewAs = z.infer<typeof UsersForViewAs>;

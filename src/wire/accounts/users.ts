import { z } from "../common/schema.ts";

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

import { z } from "@hono/zod-openapi";

/** Every refusal has this body. */
export const Refusal = z
  .object({
    error: z.string().openapi({ description: "A sentence that says what is wrong.", example: "No access" }),
    details: z
      .looseObject({
        code: z.string().openapi({
          description: "What programs match: one of the codes of the documentation, which never change.",
          example: "access.view_denied",
        }),
        userError: z
          .string()
          .optional()
          .openapi({ description: "With `payload.invalid`: which field, and what is wrong." }),
        memos: z.array(z.unknown()).optional().openapi({ description: "With `access.rules`: what the rules say." }),
        requestId: z
          .string()
          .optional()
          .openapi({ description: "With `server.internal`: stands in the server's log." }),
      })
      .openapi({ description: "Which refusal it is, and more where there is more to say." }),
  })
  .openapi("Refusal");
export type Refusal = z.infer<typeof Refusal>;

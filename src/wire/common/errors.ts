import { z } from "./schema.ts";

/** The body of all error responses. */
export const Refusal = z
  .object({
    error: z.string().openapi({ description: "A message that describes the error.", example: "No access" }),
    details: z
      .looseObject({
        code: z.string().openapi({
          description: "A stable error code for programs; see the list of codes in the documentation.",
          example: "access.view_denied",
        }),
        userError: z.string().optional().openapi({ description: "With `payload.invalid`: the field and the error." }),
        memos: z.array(z.unknown()).optional().openapi({ description: "With `access.rules`: the memos of the rules." }),
        requestId: z
          .string()
          .optional()
          .openapi({ description: "With `server.internal`: the id of the request in the server's log." }),
      })
      .openapi({ description: "The error code and further details." }),
  })
  .openapi("Refusal");
export type Refusal = z.infer<typeof Refusal>;

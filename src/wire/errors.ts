import { z } from "@hono/zod-openapi";

/** Every refusal has this body. */
export const Refusal = z
  .object({
    error: z.string().openapi({ description: "A sentence that says what is wrong.", example: "No access" }),
    details: z.record(z.string(), z.unknown()).optional().openapi({ description: "More, where there is more to say." }),
  })
  .openapi("Refusal");
export type Refusal = z.infer<typeof Refusal>;

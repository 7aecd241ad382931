import { z } from "@hono/zod-openapi";

/** The answer of what has nothing to say. */
export const NullResponse = z.null().openapi("Nothing");

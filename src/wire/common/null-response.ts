import { z } from "@hono/zod-openapi";

/** The response of operations without a result. */
export const NullResponse = z.null().openapi("Nothing");

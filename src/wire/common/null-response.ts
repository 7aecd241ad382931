import { z } from "./schema.ts";

/** The response of operations without a result. */
export const NullResponse = z.null().openapi("Nothing");

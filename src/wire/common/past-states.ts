import { z } from "./schema.ts";

/** The parameter of reads that can be of a past state. */
export const at = z.string().max(100).optional().openapi({
  description:
    "Reads the document as it was: the number of a state, or a time in ISO 8601, which means the last state at or before it; without an offset it is in the document's time zone. Refused with 403 for callers from whom access rules hide anything. The response has the number of the state in `X-Quern-State`. Default: the present.",
  example: "",
});

export const AtQuery = z.object({ at });

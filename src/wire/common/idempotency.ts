import { z } from "./schema.ts";

/** The header of requests that may be repeated. */
export const IdempotencyHeaders = z.object({
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(255)
    .optional()
    .openapi({
      description:
        "1 to 255 printable ASCII characters, such as a UUID. A request that is repeated with the same key, path, query and " +
        "body within 24 hours gets the answer of the first one, with `Idempotency-Replayed: true`, and changes nothing.",
      example: "0d9b1f3c-7a51-4f0e-9f5e-0a4d5c1f6c2e",
    }),
});

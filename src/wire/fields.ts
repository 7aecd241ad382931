import { z } from "@hono/zod-openapi";

/** Fields that several resources have. */

/** UTC ISO 8601 with milliseconds, as all times in answers. */
export const time = z.string().openapi({ format: "date-time", example: "2026-01-31T12:00:00.000Z" });

/** A role as the caller is shown it. */
export const ShownAccess = z
  .enum(["owners", "editors", "viewers"])
  .nullable()
  .openapi("Access", { description: "The caller's role; null when there is none.", example: "owners" });
export type ShownAccess = z.infer<typeof ShownAccess>;

/** Names are kept as they are; numbers and true become texts, as clients of this API expect. */
export const newName = z
  .union([z.string(), z.number(), z.literal(true)])
  .transform(String)
  .optional()
  .openapi({ type: "string", minLength: 1 } as never);

/** As `newName`, but what is empty is passed over. */
export const changedName = z
  .union([z.string(), z.number(), z.boolean(), z.null()])
  .transform((name) => (name ? String(name) : undefined))
  .optional()
  .openapi({ type: ["string", "null"], description: "Passed over when empty or null." } as never);

/** A time that a client gives, as milliseconds since the epoch. */
export const givenTime = z
  .string()
  .max(40)
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be a time in ISO 8601")
  .transform((text) => Date.parse(text))
  .optional()
  .openapi({ type: "string", format: "date-time" } as never);

/** A workspace's number in a body; digits in quotes will do. What follows the digits does not count. */
export const workspaceRef = z
  .union([
    z.number(),
    z
      .string()
      .max(40)
      .regex(/^\s*[+-]?\d/, "must be a workspace's number"),
  ])
  .transform(String)
  .openapi({ type: "integer", description: "A workspace's number.", example: 3 } as never);

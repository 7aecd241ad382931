import { z } from "@hono/zod-openapi";

/** Fields that several resources have. */

/** UTC ISO 8601 with milliseconds, as all times in answers. */
export const time = z.string().openapi({ format: "date-time", example: "2026-01-31T12:00:00.000Z" });

/** A role as the caller is shown it. */
export const ListedAccess = z
  .enum(["owners", "editors", "viewers"])
  .nullable()
  .openapi("Access", { description: "The caller's role; null when there is none.", example: "owners" });
export type ListedAccess = z.infer<typeof ListedAccess>;

/** The schema or null. `nullable()` loses the null of schemas that have a name. */
export const nullableUnion = <S extends z.ZodType>(schema: S) => z.union([schema, z.null()]);

/** Names are kept as they are. */
export const newName = z.string().min(1).optional();

/** As `newName`, but what is empty is passed over. */
export const changedName = z
  .union([z.string(), z.null()])
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: ["string", "null"], description: "Passed over when empty or null." } as never);

const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i;

/** A date, or a date and time, that a client gives; as milliseconds since the epoch. */
export const requiredTime = z
  .string()
  .max(40)
  .refine((text) => ISO_8601.test(text) && !Number.isNaN(Date.parse(text)), "must be a date or time in ISO 8601")
  .transform((text) => Date.parse(text))
  .openapi({
    anyOf: [
      { type: "string", format: "date" },
      { type: "string", format: "date-time" },
    ],
    example: "2030-01-01",
  } as never);
export const optionalTime = requiredTime.optional();

/** A workspace's number in a body; digits in quotes will do. What follows the digits does not count. */
export const workspaceRef = z
  .union([
    z.int(),
    z
      .string()
      .max(40)
      .regex(/^\s*[+-]?\d/, "must be a workspace's number"),
  ])
  .transform(String)
  .openapi({
    anyOf: [{ type: "integer" }, { type: "string", maxLength: 40, pattern: "^\\s*[+-]?\\d" }],
    description: "A workspace's number.",
    example: 3,
  } as never);

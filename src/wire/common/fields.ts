import { z } from "./schema.ts";

/** Fields that several resources share. */

/** Times in responses: ISO 8601, UTC, with milliseconds. */
export const time = z.string().openapi({ format: "date-time", example: "2026-01-31T12:00:00.000Z" });

/** A role in responses. */
export const ListedAccess = z
  .enum(["owners", "editors", "viewers"])
  .nullable()
  .openapi("Access", { description: "The caller's role; null for no access.", example: "owners" });
export type ListedAccess = z.infer<typeof ListedAccess>;

/** Returns the schema or null. `nullable()` loses the null of named schemas. */
export const nullableUnion = <S extends z.ZodType>(schema: S) => z.union([schema, z.null()]);

/** A name, stored unchanged. */
export const newName = z.string().min(1).optional();

/** Like `newName`, but ignores empty values. */
export const changedName = z
  .union([z.string(), z.null()])
  .transform((name) => name || undefined)
  .optional()
  .openapi({ type: ["string", "null"], description: "The new name. Ignored if empty or null." } as never);

const ISO_8601 = /^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?$/i;

/** A date or time in a request, as milliseconds since the epoch. */
export const requiredTime = z
  .string()
  .max(40)
  .refine((text) => ISO_8601.test(text) && !Number.isNaN(Date.parse(text)), "must be an ISO 8601 date or time")
  .transform((text) => Date.parse(text))
  .openapi({
    anyOf: [
      { type: "string", format: "date" },
      { type: "string", format: "date-time" },
    ],
    example: "2030-01-01",
  } as never);
export const optionalTime = requiredTime.optional();

/** Like `requiredTime`, but may be null or absent. */
export const nullishTime = requiredTime.nullish().openapi({
  anyOf: [{ type: "string", format: "date" }, { type: "string", format: "date-time" }, { type: "null" }],
} as never);

/** A workspace id in a body, as a number or as text. Characters after the digits are ignored. */
export const workspaceRef = z
  .union([
    z.int(),
    z
      .string()
      .max(40)
      .regex(/^\s*[+-]?\d/, "must be a workspace id"),
  ])
  .transform(String)
  .openapi({
    anyOf: [{ type: "integer" }, { type: "string", maxLength: 40, pattern: "^\\s*[+-]?\\d" }],
    description: "The workspace's id.",
    example: 3,
  } as never);

/** Who moved something to the trash. */
export const removedBy = z
  .object({ id: z.int(), name: z.string() })
  .optional()
  .openapi({ description: "The user who moved it to the trash, for owners and editors, if known." });

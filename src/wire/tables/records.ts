import { z } from "@hono/zod-openapi";

/** Bodies about records. What concerns single cells is checked where they are used, in one pass over them. */

/** What POST …/records/list takes; unknown keys are ignored. */
export const RecordsListBody = z
  .object({
    filter: z
      .record(z.string().max(1000), z.array(z.unknown()))
      .optional()
      .openapi({
        description: "Lists of allowed values by column id; all columns must match.",
        example: { City: ["Oslo", "Lima"] },
      }),
    sort: z
      .array(z.string().max(1000))
      .max(1000)
      .optional()
      .openapi({
        description: "As the elements of `sort` in the query; an empty list orders by position.",
        example: ["-Age", "Name:naturalSort"],
      }),
    limit: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "At most this many rows; 0 means no limit.", example: 100 }),
    hidden: z.boolean().optional().openapi({ description: "Include hidden columns, such as manualSort." }),
    cellFormat: z
      .enum(["normal", "typed"])
      .optional()
      .openapi({ description: "`typed` wraps dates, references and lists in their codes." }),
  })
  .openapi("RecordsListBody");
export type RecordsListBody = z.infer<typeof RecordsListBody>;

import { z } from "@hono/zod-openapi";

/** Bodies of record requests. Cells are validated at their point of use, in one pass. */

/** The body of POST …/records/list; unknown keys are ignored. */
export const RecordsListBody = z
  .object({
    filter: z
      .record(z.string().max(1000), z.array(z.unknown()))
      .optional()
      .openapi({
        description: "Arrays of allowed values by column id. A record must match all columns.",
        example: { City: ["Oslo", "Lima"] },
      }),
    sort: z
      .array(z.string().max(1000))
      .max(1000)
      .optional()
      .openapi({
        description: "Like the elements of `sort` in the query. An empty array sorts by row position.",
        example: ["-Age", "Name:naturalSort"],
      }),
    limit: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "Maximum number of rows. Default: 0, no limit.", example: 100 }),
    hidden: z
      .boolean()
      .optional()
      .openapi({ description: "Include hidden columns, such as `manualSort`. Default: false." }),
    cellFormat: z.enum(["normal", "typed", "display", "iso"]).optional().openapi({
      description: "Like `cellFormat` in the query. Default: `normal`.",
    }),
    fields: z
      .array(z.string().max(1000))
      .max(1000)
      .optional()
      .openapi({ description: "Like the elements of `fields` in the query. Default: all columns.", example: ["Name"] }),
    expand: z
      .array(z.string().max(1000))
      .max(100)
      .optional()
      .openapi({ description: "Like the elements of `expand` in the query.", example: [] }),
  })
  .openapi("RecordsListBody");
export type RecordsListBody = z.infer<typeof RecordsListBody>;

import { z } from "../common/schema.ts";

/** The grammar is in docs/filtering.md. */
export const FILTER_DESCRIPTION =
  "Conditions by column id; a record must meet all of them. A condition is an array of allowed values, compared as they " +
  'are stored, or an object of operators: `{"City": ["Oslo"], "Qty": {"gt": 3, "lte": 10}}`. Operators: `eq`, `ne`, ' +
  "`gt`, `gte`, `lt`, `lte`, `in`, `nin`, `contains`, `startsWith`, `endsWith`, `matches`, `empty`, `has`, `hasAny`, " +
  "`hasAll`, `within`, `saved`. `and` and `or` take arrays of filters, `not` takes a filter. A column may be a path through up " +
  'to three references: `"Customer.City"`.';

/** Bodies of record requests. Cells are validated at their point of use, in one pass. */

/** The body of POST …/records/list; unknown keys are ignored. */
export const RecordsListBody = z
  .object({
    filter: z
      .record(z.string().max(1000), z.union([z.array(z.unknown()), z.record(z.string().max(1000), z.unknown())]))
      .optional()
      .openapi({
        description: FILTER_DESCRIPTION,
        example: { City: ["Oslo", "Lima"], Age: { gte: 18 } },
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
    cursor: z.string().max(20_000).optional().openapi({ description: "Like `cursor` in the query.", example: "start" }),
    expand: z
      .array(z.string().max(1000))
      .max(100)
      .optional()
      .openapi({ description: "Like the elements of `expand` in the query.", example: [] }),
  })
  .openapi("RecordsListBody");
export type RecordsListBody = z.infer<typeof RecordsListBody>;

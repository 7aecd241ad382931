import { z } from "../common/schema.ts";
import { RecordsListBody } from "./records.ts";

const column = z.string().min(1).max(1000);
const name = z.string().min(1).max(100);

const measure = z
  .union([
    z.literal("count"),
    z.object({ count: column }).strict(),
    z.object({ countDistinct: column }).strict(),
    z.object({ sum: column }).strict(),
    z.object({ avg: column }).strict(),
    z.object({ min: column }).strict(),
    z.object({ max: column }).strict(),
    z.object({ median: column }).strict(),
    z.object({ first: column }).strict(),
    z.object({ last: column }).strict(),
  ])
  .openapi({
    description:
      "`count` counts records. All others name a column and ignore its empty cells, errors and hidden cells; `sum`, `avg` and `median` need numbers. `first` and `last` follow the position of records.",
    example: { sum: "Amount" },
  });

export const AggregateBody = z
  .object({
    groupBy: z
      .array(
        z.union([
          column,
          z
            .object({
              column,
              by: z.enum(["day", "week", "month", "quarter", "year"]).optional().openapi({
                description:
                  "Groups dates by their period, which is named by its first day; weeks begin on Monday. Dates with a time are taken in the document's time zone.",
              }),
              as: name.optional().openapi({ description: "The name in the response. Default: the column's id." }),
              text: name.optional().openapi({
                description:
                  "The name in the response under which groups have their text, as `cellFormat=display` returns it. Needs `recordOrder`.",
              }),
            })
            .strict(),
        ]),
      )
      .max(10)
      .optional()
      .openapi({ description: "Columns whose values make the groups. Default: one group.", example: ["City"] }),
    measures: z
      .record(name, measure)
      .optional()
      .openapi({
        propertyNames: { minLength: 1, maxLength: 100 },
        description: "Measures by their names in the response, at most 50. Default: `count`.",
        example: { orders: "count", revenue: { sum: "Amount" } },
      } as never),
    filter: RecordsListBody.shape.filter,
    sort: z
      .array(z.string().max(200))
      .max(60)
      .optional()
      .openapi({
        description: "Names of groups and measures, with a `-` prefix for descending order. Default: by the groups.",
        example: ["-revenue"],
      }),
    limit: z
      .number()
      .min(0)
      .optional()
      .openapi({ description: "Maximum number of groups in the response. Default: 0, no limit.", example: 10 }),
    totals: z
      .boolean()
      .optional()
      .openapi({ description: "Include the measures over all groups. Default: false.", example: true }),
    subtotals: z
      .boolean()
      .optional()
      .openapi({ description: "Include the groups by the first column, by the first two, and so on. Default: false." }),
    recordOrder: z.boolean().optional().openapi({
      description:
        "Groups are in the order of the records that `recordSort` of the response sorts, where the records of a group follow each other. `sort` can only reverse groups. Default: false.",
    }),
    maxValues: z.int().min(1).max(100_000).optional().openapi({
      description: "Refuse the request if one of the columns to group by has more values. Default: no limit.",
      example: 1000,
    }),
  })
  .openapi("AggregateBody");

export const Aggregate = z
  .object({
    groups: z.array(z.record(z.string(), z.unknown())).openapi({
      description:
        "Values of groups and measures by name: dates as ISO 8601, references as ids, lists as arrays; null where all cells are empty.",
      example: [{ City: "Oslo", orders: 12, revenue: 340.5 }],
    }),
    total: z.int().openapi({ description: "The number of groups, ignoring `limit`." }),
    totals: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: "With `totals`: the measures over all groups." }),
    subtotals: z
      .array(z.array(z.record(z.string(), z.unknown())))
      .optional()
      .openapi({
        description:
          "With `subtotals`: the groups by the first column, by the first two, and so on, without those of `groups`; `limit` does not apply.",
      }),
    recordSort: z.string().optional().openapi({
      description:
        "With `recordOrder`: the `sort` of records in whose order the groups are. More columns can follow after a comma.",
      example: "City:group",
    }),
  })
  .openapi("Aggregate");

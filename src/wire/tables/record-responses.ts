import { z } from "@hono/zod-openapi";
import { CellValue, Fields } from "./cells.ts";
import { flag } from "../common/query.ts";

/** Queries and answers of reading records, in both forms. */

const filter = z.string().max(1_000_000).optional().openapi({
  description: "JSON object that maps column ids to lists of allowed values; all columns must match.",
  example: '{"City":["Oslo","Lima"]}',
});
const sort = z.string().max(10_000).optional().openapi({
  description:
    "Column ids separated by commas, `-` in front for descending, options after a colon: `-Age,Name:naturalSort`. Options, separated by `;`: `naturalSort` (numbers inside texts by value), `orderByChoice` (the order of the column's choices), `emptyLast` (empty cells after all others, first with `-`), `blanksLast` (empty cells after all others in both directions). Also as header X-Sort.",
  example: "-Age,Name",
});
const limit = z.string().max(100).optional().openapi({
  description: "At most this many rows; 0 means no limit. Also as header X-Limit.",
  example: "100",
});
const offset = z.string().max(100).optional().openapi({
  description: "Passes over this many rows of the result, to leaf through a table that is too large for one answer.",
  example: "100",
});
const cellFormat = z
  .enum(["normal", "typed"])
  .optional()
  .openapi({ description: "`typed` wraps dates, references and lists in their codes.", example: "normal" });

export const FetchDataQuery = z.object({ filter, sort, limit, offset, cellFormat });
export const FetchRecordsQuery = FetchDataQuery.extend({
  hidden: flag("Include hidden columns, such as manualSort."),
  total: flag("Tell how many rows there are without limit and offset."),
});

export const FetchHeaders = z.object({
  "X-Sort": z.string().optional().openapi({ description: "As `sort`; the query wins." }),
  "X-Limit": z.string().optional().openapi({ description: "As `limit`; the query wins." }),
  "If-None-Match": z
    .string()
    .optional()
    .openapi({ description: "Tags of answers the caller holds; 304 when one is still good." }),
});

export const ConditionalHeaders = FetchHeaders.pick({ "If-None-Match": true });

export const Records = z
  .object({
    records: z.array(
      z.object({
        id: z.int(),
        fields: Fields,
        errors: z
          .record(z.string(), z.string())
          .optional()
          .openapi({
            description: "Name of the error, by column, of formulas that failed.",
            example: { Share: "ZeroDivisionError" },
          }),
      }),
    ),
    total: z
      .int()
      .optional()
      .openapi({ description: "With `total`: how many rows there are without limit and offset." }),
  })
  .openapi("Records");

export const TableData = z.record(z.string(), z.array(CellValue)).openapi("TableData", {
  description: "A list of values per column, `id` among them, all of the same length.",
  example: { id: [1, 2], Name: ["Ada", "Bob"] },
});

import { z } from "@hono/zod-openapi";
import { CellValue, Fields } from "./cells.ts";
import { flag } from "../common/query.ts";

/** Queries and responses of reading records, in both formats. */

const filter = z.string().max(1_000_000).optional().openapi({
  description: "A JSON object that maps column ids to arrays of allowed values. A record must match all columns.",
  example: '{"City":["Oslo","Lima"]}',
});
const sort = z.string().max(10_000).optional().openapi({
  description:
    "Column ids separated by commas, with a `-` prefix for descending order and options after a colon: `-Age,Name:naturalSort`. Options, separated by `;`: `naturalSort` (compares numbers in texts by value), `orderByChoice` (the order of the column's choices), `emptyLast` (empty cells last; first with `-`), `blanksLast` (empty cells last in both directions). Default: row position. Also accepted as header `X-Sort`.",
  example: "-Age,Name",
});
const limit = z.string().max(100).optional().openapi({
  description: "Maximum number of rows. Default: 0, no limit. Also accepted as header `X-Limit`.",
  example: "100",
});
const offset = z.string().max(100).optional().openapi({
  description: "Number of rows to skip, for pagination. Default: 0.",
  example: "100",
});
const cellFormat = z.enum(["normal", "typed"]).optional().openapi({
  description: "`typed` encodes dates, references and lists with their type codes. Default: `normal`.",
  example: "normal",
});

export const FetchDataQuery = z.object({ filter, sort, limit, offset, cellFormat });
export const FetchRecordsQuery = FetchDataQuery.extend({
  hidden: flag("Include hidden columns, such as `manualSort`. Default: false."),
  total: flag("Include the total number of rows, ignoring `limit` and `offset`. Default: false."),
});

export const FetchHeaders = z.object({
  "X-Sort": z.string().optional().openapi({ description: "Like the parameter `sort`, which takes precedence." }),
  "X-Limit": z.string().optional().openapi({ description: "Like the parameter `limit`, which takes precedence." }),
  "If-None-Match": z
    .string()
    .optional()
    .openapi({ description: "ETags of cached responses; 304 if one of them is current." }),
});

export const ConditionalHeaders = FetchHeaders.pick({ "If-None-Match": true });

export const FetchRecordQuery = FetchRecordsQuery.pick({ cellFormat: true, hidden: true });

export const Record = z
  .object({
    id: z.int(),
    fields: Fields,
    errors: z
      .record(z.string(), z.string())
      .optional()
      .openapi({
        description: "Types of formula errors, by column.",
        example: { Share: "ZeroDivisionError" },
      }),
  })
  .openapi("Record");

export const Records = z
  .object({
    records: z.array(Record),
    total: z
      .int()
      .optional()
      .openapi({ description: "With `total`: the number of rows, ignoring `limit` and `offset`." }),
  })
  .openapi("Records");

export const TableData = z.record(z.string(), z.array(CellValue)).openapi("TableData", {
  description: "An array of values per column, including `id`, all of the same length.",
  example: { id: [1, 2], Name: ["Ada", "Bob"] },
});

import { z } from "../common/schema.ts";
import { CellValue, Fields } from "./cells.ts";
import { at } from "../common/past-states.ts";
import { flag } from "../common/query.ts";
import { FILTER_DESCRIPTION } from "./records.ts";

/** Queries and responses of reading records, in both formats. */

const filter = z
  .string()
  .max(1_000_000)
  .optional()
  .openapi({
    description: `A JSON object. ${FILTER_DESCRIPTION}`,
    example: '{"City":["Oslo","Lima"],"Age":{"gte":18}}',
  });
const sort = z.string().max(10_000).optional().openapi({
  description:
    "Column ids separated by commas, with a `-` prefix for descending order and options after a colon: `-Age,Name:naturalSort`. Options, separated by `;`: `naturalSort` (compares numbers in texts by value), `orderByChoice` (the order of the column's choices), `emptyLast` (empty cells last; first with `-`), `blanksLast` (empty cells last in both directions), `group` (as `blanksLast`, and all empty cells are equal, empty lists included), `day`, `week`, `month`, `quarter`, `year` (as `group`, and dates are compared by their period). Default: row position. Also accepted as header `X-Sort`.",
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

export const FetchDataQuery = z.object({ filter, sort, limit, offset, cellFormat, at });
const recordCellFormat = z.enum(["normal", "typed", "display", "iso"]).optional().openapi({
  description:
    "`typed` encodes dates, references and lists with their type codes. `display` returns the texts that the grid shows. `iso` returns dates as ISO 8601, references as ids and lists as plain arrays. Default: `normal`.",
  example: "iso",
});
const fields = z.string().max(100_000).optional().openapi({
  description:
    "Column ids separated by commas, and paths through up to three references: `Name,Customer.City`. The cell at the end of a path is returned under the name of the path; of a list of references, a list. A record that the caller cannot read counts as an empty reference. Default: all columns.",
  example: "Name,Price",
});
const expand = z.string().max(10_000).optional().openapi({
  description:
    "References to replace by the records that they point to, separated by commas, on up to two levels: `Customer,Customer.Country`. A record within the same record is cut to its id.",
  example: "",
});

const cursor = z.string().max(20_000).optional().openapi({
  description:
    "Returns one page, of `limit` records (default: 1,000, at most 10,000), and its successor as `next`: `start` for the first page, then `next` of the page before. Valid for 24 hours, for the same caller and parameters except `limit`. A record that does not change meanwhile is on exactly one page.",
  example: "start",
});

export const FetchRecordsQuery = FetchDataQuery.extend({
  cellFormat: recordCellFormat,
  fields,
  expand,
  cursor,
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

export const FetchRecordQuery = FetchRecordsQuery.pick({
  cellFormat: true,
  fields: true,
  expand: true,
  hidden: true,
  at: true,
});

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
    next: z
      .string()
      .nullable()
      .optional()
      .openapi({ description: "With `cursor`: the cursor of the next page; null on the last one." }),
  })
  .openapi("Records");

export const RecordLines = z.string().openapi("RecordLines", {
  description:
    "With `Accept: application/x-ndjson`: one record per line, as in `records`, without `total` and other members.",
  example: '{"id":1,"fields":{"Name":"Ada","Age":36}}\n{"id":2,"fields":{"Name":"Bob","Age":41}}\n',
});

export const TableData = z.record(z.string(), z.array(CellValue)).openapi("TableData", {
  description: "An array of values per column, including `id`, all of the same length.",
  example: { id: [1, 2], Name: ["Ada", "Bob"] },
});

/** Tools that read records: by filter, by SQL, and aggregated. */
import { z } from "zod";
import { queryOf } from "../api.ts";
import { inDocument, inTable } from "../resolve.ts";
import { cutList, cutTexts, MAX_RESULT_CHARACTERS } from "../results.ts";
import { READ_ONLY, tool } from "../tool.ts";
import * as common from "./arguments.ts";

interface RecordPage {
  readonly records: Record<string, unknown>[];
  readonly next?: string | null;
}

const SORT = "Column ids, with - in front for descending order";

export const queryRecords = tool({
  name: "query_records",
  title: "Query records",
  description:
    "Returns records of a table that meet a filter, a page at a time. Dates are ISO 8601, references are row ids: name a path such as Customer.Name in fields for their cells.",
  scopes: ["records:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    filter: common.filter.optional(),
    fields: common.columns.optional().describe("Column ids, or paths through references; default: all"),
    sort: common.columns.optional().describe(SORT),
    limit: z.int().min(1).max(500).default(50),
    cursor: z.string().max(20_000).optional().describe("next of the page before"),
    at: common.at,
  }),
  output: z.object({
    records: common.objects("id, fields; errors: types of formula errors by column"),
    next: z.string().nullable().describe("cursor of the next page; null on the last one"),
  }),
  example: {
    document: "Stock",
    table: "Orders",
    filter: { Qty: { gte: 5 } },
    fields: ["Item", "Qty", "Customer.Name"],
    sort: ["-Qty"],
  },
  run: (api, { document, table, limit, cursor = "start", at, ...query }) =>
    inTable(api, { document, table }, async (paths) => {
      const fetchPage = (count: number) =>
        api.send<RecordPage>("POST", `${paths.table}/records/list${queryOf({ at })}`, {
          ...query,
          cursor,
          limit: count,
          cellFormat: "iso",
        });
      let page = await fetchPage(limit);
      let records = cutTexts(page.records);
      const { items, isCut } = cutList(records, MAX_RESULT_CHARACTERS);
      if (isCut) {
        // The next page begins after the last record of this one.
        page = await fetchPage(items.length);
        records = cutList(cutTexts(page.records), MAX_RESULT_CHARACTERS).items;
      }
      return { records, next: page.next ?? null };
    }),
});

const MEASURE =
  '"count", or {"sum": column}; also countDistinct, avg, min, max, median, first, last. Default: {"count": "count"}';

export const aggregateRecords = tool({
  name: "aggregate_records",
  title: "Count, sum and group records",
  description: "Counts, sums and groups records of a table. Use it instead of reading many records.",
  scopes: ["records:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    groupBy: z
      .array(z.union([z.string(), z.looseObject({})]))
      .max(10)
      .optional()
      .describe('Column ids, or {"column", "by": "day|week|month|quarter|year"} for dates'),
    measures: z.record(z.string(), z.unknown()).optional().describe(`By name: ${MEASURE}`),
    filter: common.filter.optional(),
    sort: common.columns.optional().describe("Names of groups or measures, with - for descending order"),
    limit: z.int().min(1).max(1000).default(100).describe("Maximum number of groups"),
    at: common.at,
  }),
  output: z.object({
    groups: common.objects("Values of groups and measures by name"),
    total: z.int().describe("Number of all groups"),
    more: common.more,
  }),
  example: {
    document: "Stock",
    table: "Orders",
    groupBy: ["Item"],
    measures: { pieces: { sum: "Qty" }, orders: "count" },
    sort: ["-pieces"],
  },
  run: (api, { document, table, at, ...body }) =>
    inTable(api, { document, table }, async (paths) => {
      const { groups, total } = await api.send<{ groups: Record<string, unknown>[]; total: number }>(
        "POST",
        `${paths.table}/aggregate${queryOf({ at })}`,
        body,
      );
      const { items } = cutList(cutTexts(groups));
      const isPart = items.length < total;
      return { groups: items, total, ...(isPart && { more: "Add a filter, sort and limit, or group by less." }) };
    }),
});

interface SqlRow {
  readonly fields: Record<string, unknown>;
}

export const querySql = tool({
  name: "query_sql",
  title: "Query by SQL",
  description:
    "Runs one SELECT of SQLite on a document, with joins. Tables and columns have their ids; dates are seconds since 1970, references row ids. Needs the right to read the whole document.",
  scopes: ["records:read", "schema:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    sql: z.string().min(1).max(100_000).describe("With ? for parameters"),
    args: z
      .array(z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .max(1000)
      .optional()
      .describe("Values of the parameters"),
    maxRows: z.int().min(1).max(1000).default(200).describe("Maximum number of rows in the result"),
    at: common.at,
  }),
  output: z.object({ rows: common.objects("Values by column"), more: common.more }),
  example: {
    document: "Stock",
    sql: "select Item, sum(Qty) as pieces from Orders where Qty > ? group by Item order by pieces desc",
    args: [1],
  },
  run: (api, { document, sql, args, maxRows, at }) =>
    inDocument(api, document, async (path) => {
      const { records } = await api.send<{ records: SqlRow[] }>("POST", `${path}/sql${queryOf({ at })}`, { sql, args });
      const { items } = cutList(cutTexts(records.slice(0, maxRows).map(({ fields }) => fields)));
      if (items.length === records.length) return { rows: items };
      return {
        rows: items,
        more: `The statement returns ${records.length} rows. Add LIMIT and OFFSET, select less, or aggregate.`,
      };
    }),
});

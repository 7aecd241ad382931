/** Tools that write records. All can be tried first, and the history undoes them. */
import { z } from "zod";
import { type Api, queryOf } from "../api.ts";
import { inTable } from "../resolve.ts";
import { ADDS, DESTRUCTIVE, OVERWRITES, tool, ToolRefusal } from "../tool.ts";
import * as common from "./arguments.ts";
import { type DryRunReport, shortenReport, wouldChange } from "./dry-run.ts";

/** Records of one call: a model writes them out. */
const MAX_RECORDS = 500;
const rowId = z.int().min(1);

interface WriteRequest {
  readonly method: string;
  /** With `?` and the parameters, or empty. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body: unknown;
}

/** Sends a write, or its dry run. `done` makes the result of the response. */
async function write<T>(
  api: Api,
  { method, path, query, body }: WriteRequest,
  { dryRun = false, done }: { dryRun: boolean | undefined; done: (answer: T) => Record<string, unknown> },
) {
  const parameters = queryOf({ ...query, ...(dryRun && { dryrun: 1 }) });
  if (!dryRun) return done(await api.send<T>(method, `${path}${parameters}`, body));
  return { wouldChange: shortenReport(await api.send<DryRunReport>(method, `${path}${parameters}`, body)) };
}

interface WrittenIds {
  readonly records: readonly { readonly id: number }[];
}
const idsOf = ({ records }: WrittenIds) => ({ ids: records.map(({ id }) => id) });
interface UpsertedIds {
  readonly addRecordIds: readonly number[];
  /** For each record of the request. */
  readonly updateRecordIds: readonly (readonly number[])[];
}
const upsertedIdsOf = ({ addRecordIds, updateRecordIds }: UpsertedIds) => ({
  added: [...addRecordIds],
  updated: updateRecordIds.flat(),
});
const ids = z.array(z.int()).optional().describe("Ids of the rows");

export const addRecords = tool({
  name: "add_records",
  title: "Add records",
  description:
    "Adds records to a table. Texts are parsed by the type of the column; references are row ids. Formula columns are computed.",
  scopes: ["records:write"],
  annotations: ADDS,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    records: z.array(common.fields).min(1).max(MAX_RECORDS).describe("Cells by column id, for each record"),
    dryRun: common.dryRun,
  }),
  output: z.object({ ids, wouldChange }),
  example: { document: "Stock", table: "Orders", records: [{ Item: "Oil", Qty: 3, Ordered: "2026-05-01" }] },
  run: (api, { document, table, records, dryRun }) =>
    inTable(api, { document, table }, (paths) =>
      write<WrittenIds>(
        api,
        {
          method: "POST",
          path: `${paths.table}/records`,
          body: { records: records.map((fields) => ({ fields })) },
        },
        { dryRun, done: idsOf },
      ),
    ),
});

export const updateRecords = tool({
  name: "update_records",
  title: "Update records",
  description:
    "Overwrites cells: either of records, by id, or all rows that filter selects with the same fields. Other cells stay.",
  scopes: ["records:write"],
  annotations: OVERWRITES,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    records: z
      .array(z.strictObject({ id: rowId, fields: common.fields }))
      .min(1)
      .max(MAX_RECORDS)
      .optional()
      .describe("All with the same columns"),
    filter: common.filter.optional(),
    fields: common.fields.optional(),
    maxRows: common.maxRows,
    dryRun: common.dryRun,
  }),
  output: z.object({ ids, wouldChange }),
  example: { document: "Stock", table: "Orders", records: [{ id: 2, fields: { Qty: 4 } }] },
  run: (api, { document, table, records, filter, fields, maxRows, dryRun }) =>
    inTable(api, { document, table }, (paths) => {
      if ((records === undefined) === (filter === undefined) || (filter === undefined) !== (fields === undefined))
        throw oneOf("records, or filter and fields");
      const query = { return: "ids", filter: filter && JSON.stringify(filter), ...(filter && { maxRows }) };
      const request = {
        method: "PATCH",
        path: `${paths.table}/records`,
        query,
        body: filter ? { fields } : { records },
      };
      return write<WrittenIds>(api, request, { dryRun, done: idsOf });
    }),
});

export const upsertRecords = tool({
  name: "upsert_records",
  title: "Add or update records",
  description:
    "For each record: updates the first row whose cells equal require, else adds one with require and fields. Makes repeated calls safe.",
  scopes: ["records:write"],
  annotations: OVERWRITES,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    records: z
      .array(z.strictObject({ require: common.fields, fields: common.fields.default({}) }))
      .min(1)
      .max(MAX_RECORDS),
    dryRun: common.dryRun,
  }),
  output: z.object({ added: ids, updated: ids, wouldChange }),
  example: {
    document: "Stock",
    table: "Customers",
    records: [{ require: { Name: "Acme" }, fields: { City: "Bergen" } }],
  },
  run: (api, { document, table, records, dryRun }) =>
    inTable(api, { document, table }, (paths) =>
      write<UpsertedIds>(
        api,
        { method: "PUT", path: `${paths.table}/records`, body: { records } },
        { dryRun, done: upsertedIdsOf },
      ),
    ),
});

export const deleteRecords = tool({
  name: "delete_records",
  title: "Delete records",
  description: "Deletes rows by id, or all that filter selects. Use dryRun first; undo_my_changes restores them.",
  scopes: ["records:write"],
  annotations: DESTRUCTIVE,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    ids: z.array(rowId).min(1).max(MAX_RECORDS).optional(),
    filter: common.filter.optional(),
    maxRows: common.maxRows,
    dryRun: common.dryRun,
  }),
  output: z.object({ isDeleted: z.boolean().optional(), wouldChange }),
  example: { document: "Stock", table: "Orders", filter: { Status: { eq: "sent" } }, dryRun: true },
  run: (api, { document, table, ids: rowIds, filter, maxRows, dryRun }) =>
    inTable(api, { document, table }, (paths) => {
      if ((rowIds === undefined) === (filter === undefined)) throw oneOf("ids or filter");
      const body = rowIds ?? { filter, ...(maxRows !== undefined && { maxRows }) };
      const request = { method: "POST", path: `${paths.table}/records/delete`, body };
      return write<unknown>(api, request, { dryRun, done: () => ({ isDeleted: true }) });
    }),
});

const oneOf = (choice: string): ToolRefusal =>
  new ToolRefusal("arguments.invalid", `Pass either ${choice}`, {
    next: "Correct the arguments, and call the tool again.",
  });

import { z } from "../common/schema.ts";
import { Fields } from "./cells.ts";
import { flag } from "../common/query.ts";
import { lineOptions } from "./jobs.ts";
import { FILTER_DESCRIPTION } from "./records.ts";
import { Records } from "./record-responses.ts";

/**
 * Requests and responses of writing records. Bodies can hold many thousands of cells: workers validate them by hand in
 * one pass, and these schemas are documentation.
 */

const noparse = flag("Store text as it is, without parsing it by the column type. Default: false.");

const returned = (otherwise: string) =>
  z
    .enum(["none", "ids", "records"])
    .optional()
    .openapi({
      description:
        "The content of the answer. `none`: null. `ids`: the ids of the written records. `records`: the written records " +
        "as `GET …/records` returns them, with computed formulas, without rows and cells that access rules hide, up to " +
        `16 MB. Not for NDJSON. Default: ${otherwise}.`,
      example: "records",
    });

export const AddRecordsQuery = z.object({
  noparse,
  return: returned("`ids`"),
  flat: flag("The body may also be an array of plain objects, each the fields of a record; their `id` is ignored."),
  ...lineOptions,
});
/** Validated by the worker, like the body. */
const maxRows = "How many records a filter may select, up to 200,000. Default: 1000.";

export const ModifyRecordsQuery = z.object({
  noparse,
  return: returned("`none`"),
  filter: z
    .string()
    .max(1_000_000)
    .optional()
    .openapi({
      description: `Selects the records to modify. A JSON object. ${FILTER_DESCRIPTION}`,
      example: '{"Status":{"eq":"open"},"Due":{"lt":"today"}}',
    }),
  maxRows: z
    .string()
    .regex(/^([1-9]\d{0,5})?$/, "must be an integer from 1 to 200000")
    .optional()
    .openapi({ description: `With \`filter\`: ${maxRows}`, example: "5000" }),
});
export const ModifyRecordQuery = z.object({ noparse, return: returned("`none`") });
export const ModifyDataQuery = z.object({ noparse });
export const UpsertRecordsQuery = z.object({
  noparse,
  return: returned("the ids of added and of updated records"),
  // Validated by the worker, whose message existing programs match.
  onmany: z
    .string()
    .max(100)
    .optional()
    .openapi({
      description: "Which records to update if several match. Default: `first`.",
      enum: ["first", "none", "all", ""],
      example: "first",
    }),
  noadd: flag("Do not add records. Default: false."),
  noupdate: flag("Do not update records. Default: false."),
  allow_empty_require: flag("Allow an empty `require`, which matches all records. Default: false."),
  ...lineOptions,
});

const rowId = z.int().min(1).openapi({ example: 1 });

export const AddRecordsBody = z
  .object({ records: z.array(z.object({ fields: Fields.optional() })).min(1) })
  .openapi("AddRecords");

export const ModifyRecordsBody = z
  .object({
    records: z
      .array(z.object({ id: rowId, fields: Fields }))
      .min(1)
      .openapi({ description: "All records must have the same set of fields." }),
  })
  .openapi("ModifyRecords");

export const ModifyRecordBody = z.object({ fields: Fields }).openapi("ModifyRecord");

export const UpsertRecordsBody = z
  .object({
    records: z
      .array(
        z.object({
          require: Fields.openapi({ description: "Values to match. A new record gets these and `fields`." }),
          fields: Fields.optional(),
        }),
      )
      .min(1),
  })
  .openapi("UpsertRecords");

const lineExamples = (...lines: object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

export const AddedLines = z.string().openapi("AddRecordLines", {
  description:
    "One record per line: an object with the fields, or one with `fields`. Other members of the latter, and `id`, are ignored.",
  example: lineExamples({ Name: "Ada", Age: 36 }, { Name: "Bob", Age: 41 }),
});

export const UpsertedLines = z.string().openapi("UpsertRecordLines", {
  description: "One object with `require` and `fields` per line.",
  example: lineExamples({ require: { Email: "ada@example.com" }, fields: { Age: 37 } }),
});

export const RowIds = z.array(rowId).openapi("RowIds", { example: [1, 2] });

/** Ids that do not exist are ignored. */
export const RemovedRowIds = z.array(z.int()).openapi("RemovedRowIds", { example: [1, 2] });

/** With a filter in the query, one set of fields for all records. */
export const ModifyRecordsBodies = z.union([ModifyRecordsBody, ModifyRecordBody]);

export const DeleteRecordsBody = z.union([
  RemovedRowIds,
  z
    .object({
      filter: z.record(z.string().max(1000), z.unknown()).openapi({ description: FILTER_DESCRIPTION }),
      maxRows: z.int().min(1).max(200_000).optional().openapi({ description: maxRows }),
    })
    .openapi("RemovedByFilter", { example: { filter: { Status: { eq: "done" } }, maxRows: 5000 } }),
]);

const values = z.array(z.unknown());
export const AddDataBody = z.record(z.string().max(1000), values).openapi("AddData", {
  description: "An array of values per column, all of the same length.",
  minProperties: 1,
  example: { Name: ["Ada", "Bob"], Age: [36, 41] },
});
export const ModifyDataBody = z
  .object({ id: RowIds })
  .catchall(values)
  .openapi("ModifyData", {
    description: "Row ids, and an array of values per column.",
    example: { id: [1, 2], Age: [37, 42] },
  });

export const AddedRecords = z.object({ records: z.array(z.object({ id: rowId })) }).openapi("AddedRecords");

export const UpsertedRecords = z
  .object({
    recordIds: z
      .array(RowIds)
      .openapi({ description: "For each record of the request, the ids of the updated records or of the new one." }),
    addRecordIds: RowIds,
    updateRecordIds: z.array(RowIds),
  })
  .openapi("UpsertedRecords");

/** Answers of writes, which depend on `return`. */
export const AddedOrReturned = z.union([AddedRecords, Records, z.null()]);
export const ModifiedOrReturned = z.union([z.null(), AddedRecords, Records]);
export const UpsertedOrReturned = z.union([UpsertedRecords, AddedRecords, Records, z.null()]);

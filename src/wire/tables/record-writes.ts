import { z } from "@hono/zod-openapi";
import { Fields } from "./cells.ts";
import { flag } from "../common/query.ts";

/**
 * Bodies, queries and answers of changing records. The bodies may hold many thousands of cells: hosts check them by
 * hand, in one pass, and these schemas describe them.
 */

const noparse = flag("Keep texts as they are, without reading them by the type of their column.");

export const AddRecordsQuery = z.object({
  noparse,
  flat: flag("The body may be a list of plain objects, each a record's fields; their `id` is dropped."),
});
export const ModifyRecordsQuery = z.object({ noparse });
export const UpsertRecordsQuery = z.object({
  noparse,
  // Read by the host, whose refusal existing programs match.
  onmany: z
    .string()
    .max(100)
    .optional()
    .openapi({
      description: "Which records to update when several match.",
      enum: ["first", "none", "all", ""],
      example: "first",
    }),
  noadd: flag("Add nothing."),
  noupdate: flag("Update nothing."),
  allow_empty_require: flag("Allow an empty `require`, which every record matches."),
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
      .openapi({ description: "All with the same set of fields." }),
  })
  .openapi("ModifyRecords");

export const UpsertRecordsBody = z
  .object({
    records: z
      .array(
        z.object({
          require: Fields.openapi({ description: "What to look for; a new record is made of it and of `fields`." }),
          fields: Fields.optional(),
        }),
      )
      .min(1),
  })
  .openapi("UpsertRecords");

export const RowIds = z.array(rowId).openapi("RowIds", { example: [1, 2] });

/** Ids that no row has are passed over. */
export const RemovedRowIds = z.array(z.int()).openapi("RemovedRowIds", { example: [1, 2] });

const values = z.array(z.unknown());
export const AddDataBody = z.record(z.string().max(1000), values).openapi("AddData", {
  description: "A list of values per column, all of the same length.",
  minProperties: 1,
  example: { Name: ["Ada", "Bob"], Age: [36, 41] },
});
export const ModifyDataBody = z
  .object({ id: RowIds })
  .catchall(values)
  .openapi("ModifyData", {
    description: "Row ids, and a list of values per column.",
    example: { id: [1, 2], Age: [37, 42] },
  });

export const AddedRecords = z.object({ records: z.array(z.object({ id: rowId })) }).openapi("AddedRecords");

export const UpsertedRecords = z
  .object({
    recordIds: z
      .array(RowIds)
      .openapi({ description: "For each record of the request: those updated, or the new one." }),
    addRecordIds: RowIds,
    updateRecordIds: z.array(RowIds),
  })
  .openapi("UpsertedRecords");

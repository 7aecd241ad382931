import { z } from "../common/schema.ts";
import { CellValue } from "./cells.ts";

/** Several writes in one transaction. */

const Reference = z.object({ $ref: z.string().max(200) }).openapi("BatchReference", {
  description: "An id in the result of an earlier operation: `order.ids.0`.",
});

const table = z.string().min(1).max(1000).openapi({ description: "The table's id.", example: "Orders" });
const as = z
  .string()
  .regex(/^\w{1,100}$/, "must be a name of letters, digits and underscores")
  .optional()
  .openapi({ description: "A name by which later operations refer to the result.", example: "order" });
const BatchFields = z
  .record(z.string().max(1000), z.union([CellValue, Reference]))
  .openapi("BatchFields", { example: { Customer: "Ada" } });
const rowId = z.union([z.int().min(1), Reference]);

const AddOperation = z
  .object({ op: z.literal("add"), as, table, records: z.array(z.object({ fields: BatchFields.optional() })).min(1) })
  .openapi("BatchAdd", {
    example: { op: "add", as: "order", table: "Orders", records: [{ fields: { Customer: "Ada" } }] },
  });
const UpdateOperation = z
  .object({ op: z.literal("update"), as, table, records: z.array(z.object({ id: rowId, fields: BatchFields })).min(1) })
  .openapi("BatchUpdate", {
    description: "All records of an operation must have the same set of fields.",
    example: { op: "update", table: "Stock", records: [{ id: 1, fields: { Amount: 4 } }] },
  });
const UpsertOperation = z
  .object({
    op: z.literal("upsert"),
    as,
    table,
    records: z.array(z.object({ require: BatchFields, fields: BatchFields.optional() })).min(1),
    onmany: z.enum(["first", "none", "all"]).optional(),
    noadd: z.boolean().optional(),
    noupdate: z.boolean().optional(),
    allow_empty_require: z.boolean().optional(),
  })
  .openapi("BatchUpsert", {
    description: "Adds or updates records, with the options of `PUT …/records`.",
    example: { op: "upsert", table: "People", records: [{ require: { Name: "Ada" }, fields: { Age: 36 } }] },
  });
const DeleteOperation = z
  .object({ op: z.literal("delete"), as, table, ids: z.union([z.array(rowId), Reference]) })
  .openapi("BatchDelete", { example: { op: "delete", table: "Carts", ids: [3] } });

export const BatchBody = z
  .object({
    operations: z
      .array(z.discriminatedUnion("op", [AddOperation, UpdateOperation, UpsertOperation, DeleteOperation]))
      .min(1)
      .max(1000),
  })
  .openapi("Batch", {
    example: {
      operations: [
        { op: "add", as: "order", table: "Orders", records: [{ fields: { Customer: "Ada" } }] },
        {
          op: "add",
          table: "Lines",
          records: [{ fields: { Order: { $ref: "order.ids.0" }, Product: "Bell", Amount: 2 } }],
        },
      ],
    },
  });
export type BatchOperation = z.infer<typeof BatchBody>["operations"][number];

const BatchResult = z.object({
  as: z.string().optional(),
  ids: z.array(z.int().nullable()).openapi({
    description:
      "The ids that the operation wrote, in the order of its records. For `upsert` the first record that each one " +
      "matched or added, or null.",
    example: [7],
  }),
});
export type BatchResult = z.infer<typeof BatchResult>;

export const BatchResults = z.object({ results: z.array(BatchResult) }).openapi("BatchResults", {
  description: "The result of each operation, in their order.",
});

import { z } from "./schema.ts";

/** Path parameters, named as in the path templates. */

const docId = z.string().min(1).max(100).openapi({
  description: "The document's UUID, its 22-character short form, its integer id, or its urlId.",
  example: "3f0c1c1e-8f0e-4b4b-9d52-0c1b5e7c0a11",
});

const tableId = z
  .string()
  .min(1)
  .max(1000)
  .openapi({ description: "The table's id, or its number (`tableRef`).", example: "People" });

const colId = z.string().min(1).max(1000).openapi({ description: "The column's id, without `$`.", example: "Name" });

export const DocParams = z.object({ docId });
export const DocsParams = z.object({
  docId,
  docId2: docId.openapi({ description: "The other document's id, in the same forms." }),
});
export const uploadIdParam = z
  .string()
  .regex(/^\d{1,15}$/, "must be an integer")
  .transform(Number)
  .openapi({ type: "integer", description: "Id of an upload.", example: 3 });

export const DocUploadParams = z.object({ docId, uploadId: uploadIdParam });
export const TableParams = z.object({ docId, tableId });
export const RecordParams = z.object({
  docId,
  tableId,
  rowId: z.string().min(1).max(100).openapi({ description: "The record's id.", example: "1" }),
});
export const ColumnParams = z.object({ docId, tableId, colId });

import { z } from "@hono/zod-openapi";
import { documentName } from "./documents.ts";
import { flag } from "./query.ts";

/** Bodies, queries and answers of uploads and imports. */

const uploadId = z.int().openapi({ description: "Of a file that was uploaded before.", example: 3 });

export const UploadToImport = z.object({ uploadId, documentName }).openapi("UploadToImport");

export const FileUpload = z
  .object({ upload: z.string().openapi({ format: "binary", description: "A file, or several." }) })
  .openapi("FileUpload");

export const KeptUpload = z
  .object({
    uploadId,
    files: z.array(
      z.object({
        origName: z.string().openapi({ example: "people.csv" }),
        size: z.int().openapi({ description: "In bytes." }),
        ext: z.string().openapi({ description: "The ending in lower case, with its dot.", example: ".csv" }),
      }),
    ),
  })
  .openapi("KeptUpload");

export const TableUpload = z
  .object({
    upload: z.string().openapi({ format: "binary", description: "A file with tables: .csv, .tsv, .xlsx, .json." }),
  })
  .openapi("TableUpload");
export const TableUploadReference = UploadToImport.pick({ uploadId: true }).openapi("TableUploadReference");

export const TableImportQuery = z.object({
  table: z.string().max(1000).optional().openapi({
    description: "Id of an existing table that the rows are added to; without it, new tables are made.",
    example: "People",
  }),
  sheet: z.string().max(1000).optional().openapi({
    description: "The one table of the file to take, by its name there; by default all.",
    example: "Sheet1",
  }),
  addColumns: flag("With `table`: columns that it does not have are added; otherwise they are refused."),
  dryRun: flag("Only tell what would be done."),
});

export const ImportReport = z
  .object({
    tables: z.array(
      z.object({
        id: z.string().openapi({ description: "The table's id in the document." }),
        name: z.string().openapi({ description: "What it is called in the file." }),
        isNew: z.boolean(),
        rows: z.int(),
        columns: z.array(
          z.object({
            id: z.string(),
            label: z.string(),
            type: z.string().openapi({ description: "Of a new column: as its values tell.", example: "Numeric" }),
            kind: z
              .enum(["new", "existing", "skipped"])
              .openapi({ description: "`skipped`: computed in the table, and so not taken from the file." }),
          }),
        ),
      }),
    ),
  })
  .openapi("ImportReport");

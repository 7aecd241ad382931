import { z } from "@hono/zod-openapi";
import { documentName, ImportedDocument } from "./documents.ts";
import { flag } from "../common/query.ts";

/** Bodies, queries and answers of uploads and imports. */

const uploadId = z.int().openapi({ description: "Of a file that was uploaded before.", example: 3 });

const wholeNumber = z.union([
  z.int().min(0).max(1000),
  z
    .string()
    .regex(/^(\d{1,3}|1000)$/, "must be a whole number up to 1000")
    .transform(Number),
]);

/** How a file is to be read, where it should not be found out. */
export const ImportOptions = z
  .object({
    types: z
      .record(z.string().max(1000), z.string().max(120))
      .refine((types) => Object.keys(types).length <= 2000, "has too many columns")
      .optional()
      .openapi({
        maxProperties: 2000,
        description:
          "Types by the labels of columns, or by their letters where they have none: Text, Numeric, Int, Bool, Date, DateTime, Choice.",
        example: { Price: "Numeric" },
      }),
    header: wholeNumber.optional().openapi({
      type: "integer",
      minimum: 0,
      maximum: 1000,
      description: "The row that names the columns, among rows that are not blank; 0 for none.",
    } as never),
    delimiter: z
      .string()
      .regex(/^[^"\r\n]{1,4}$/, "must be up to four characters without quotes and line breaks")
      .optional()
      .openapi({ example: ";" }),
    encoding: z.string().max(50).optional().openapi({ example: "windows-1252" }),
    decimal: z.enum([".", ","]).optional().openapi({ description: "The decimal sign of all numbers." }),
    dates: z.enum(["dmy", "mdy"]).optional().openapi({ description: "Which of day and month comes first." }),
    zone: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "The time zone of times without an offset.", example: "Europe/Berlin" }),
    sheet: z.string().max(1000).optional().openapi({ description: "The one table of the file to take." }),
    locale: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "By default the user's, else that of Accept-Language.", example: "de-CH" }),
  })
  .openapi("ImportChoices");
export type ImportOptions = z.infer<typeof ImportOptions>;

export const UploadToImport = ImportOptions.extend({ uploadId, documentName }).openapi("UploadToImport");

export const FileUpload = z
  .object({ upload: z.string().openapi({ format: "binary", description: "A file, or several." }) })
  .openapi("FileUpload");

export const UploadResult = z
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
    upload: z.string().openapi({
      format: "binary",
      description: "A file with tables: .csv, .tsv, .xlsx, .json, .ndjson; text files also as .gz.",
    }),
  })
  .openapi("TableUpload");
export const TableUploadReference = ImportOptions.extend({ uploadId }).openapi("TableUploadReference");

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
  dryRun: flag("Only tell what would be done, and keep the file for the import."),
  dryrun: flag("The same as `dryRun`."),
});

export const DocumentImportQuery = TableImportQuery.pick({ dryRun: true, dryrun: true }).extend({
  report: flag("Answer how the file was read, too: existing programs expect `id` and `title` alone."),
});

const count = z.int().min(0);

const ImportedColumn = z
  .object({
    id: z.string(),
    label: z.string(),
    type: z
      .string()
      .openapi({ description: "Of a new column: as its values tell. `Any` without values.", example: "Numeric" }),
    kind: z
      .enum(["new", "existing", "skipped"])
      .openapi({ description: "`skipped`: computed in the table, and so not taken from the file." }),
    format: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: "How the values are shown: the column's widgetOptions." }),
    firstValue: z.unknown().optional().openapi({ description: "The first value, as the cell holds it." }),
    converted: count.optional().openapi({ description: "Values that became cells of the type." }),
    unconverted: count.optional().openapi({ description: "Values that stay texts in a column of another type." }),
    examples: z.array(z.string()).optional().openapi({ description: "Up to five of those." }),
    rule: z
      .enum(["values", "file", "delimiter", "locale", "request", "contradiction", "codes", "texts", "empty"])
      .optional()
      .openapi({ description: "What decided the type." }),
    ambiguous: z
      .boolean()
      .optional()
      .openapi({ description: "True when the values can be read in two ways, and something else decided." }),
  })
  .openapi("ImportedColumn");

const ImportedTable = z
  .object({
    id: z.string().openapi({ description: "The table's id in the document." }),
    name: z.string().openapi({ description: "What it is called in the file." }),
    isNew: z.boolean(),
    rows: z.int(),
    delimiter: z.string().optional(),
    encoding: z.string().optional(),
    header: count.optional().openapi({ description: "The row that names the columns; 0 without one." }),
    droppedLines: z.array(z.string()).optional().openapi({ description: "Lines above the table." }),
    blankLines: count.optional().openapi({ description: "Lines without any character, or with delimiters only." }),
    hiddenSheets: z.array(z.string()).optional().openapi({ description: "Sheets left out because they are hidden." }),
    errorCells: count.optional().openapi({ description: "Cells with an error, which are left empty." }),
    columns: z.array(ImportedColumn),
  })
  .openapi("ImportedTable");

const conventions = {
  decimal: z.string().openapi({ description: "The decimal sign of all numbers of the file." }),
  dates: z
    .enum(["dmy", "mdy"])
    .nullable()
    .openapi({ description: "Which of day and month comes first; null where the file has both." }),
};

const fileReport = z
  .object({
    ...conventions,
    locale: z.string().openapi({ description: "Of the document." }),
    currency: z.string().openapi({ description: "Of the document." }),
    tables: z.array(ImportedTable),
  })
  .partial();

export const DocumentImport = ImportedDocument.extend(fileReport.shape).openapi("DocumentImport", {
  description: "With `report`, for a file of tables with how it was read.",
});

export const DocumentImportPreview = fileReport
  .extend({
    title: z.string().openapi({ description: "The file's name without its ending." }),
    uploadId,
  })
  .openapi("DocumentImportPreview");

export const ImportReport = z
  .object({
    tables: z.array(ImportedTable),
    ...conventions,
    uploadId: uploadId.optional().openapi({ description: "Of a dry run: by which the same file can be imported." }),
  })
  .openapi("ImportReport");

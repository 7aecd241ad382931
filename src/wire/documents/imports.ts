import { z } from "../common/schema.ts";
import { documentName, ImportedDocument } from "./documents.ts";
import { DryRunReport } from "../tables/dry-run.ts";
import { ChangeSize } from "../tables/matching-changes.ts";
import { flag } from "../common/query.ts";

/** Requests and responses of uploads and imports. */

const uploadId = z.int().openapi({ description: "Id of an upload.", example: 3 });

const wholeNumber = z.union([
  z.int().min(0).max(1000),
  z
    .string()
    .regex(/^(\d{1,3}|1000)$/, "must be an integer from 0 to 1000")
    .transform(Number),
]);

/** Import options; each overrides automatic detection. */
export const ImportOptions = z
  .object({
    types: z
      .record(z.string().max(1000), z.string().max(120))
      .refine((types) => Object.keys(types).length <= 2000, "has too many columns")
      .optional()
      .openapi({
        maxProperties: 2000,
        description:
          "Types by column label, or by letter for columns without a label: Text, Numeric, Int, Bool, Date, DateTime, Choice.",
        example: { Price: "Numeric" },
      }),
    header: wholeNumber.optional().openapi({
      type: "integer",
      minimum: 0,
      maximum: 1000,
      description: "Number of the header row, not counting blank rows; 0 for none.",
    } as never),
    delimiter: z
      .string()
      .regex(/^[^"\r\n]{1,4}$/, "must have at most four characters, no quotes and no line breaks")
      .optional()
      .openapi({ example: ";" }),
    encoding: z.string().max(50).optional().openapi({ example: "windows-1252" }),
    decimal: z.enum([".", ","]).optional().openapi({ description: "Decimal separator of numbers." }),
    dates: z.enum(["dmy", "mdy"]).optional().openapi({ description: "Order of day and month in dates." }),
    zone: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "Time zone of times without an offset.", example: "Europe/Berlin" }),
    sheet: z.string().max(1000).optional().openapi({ description: "Import only this table of the file." }),
    sheets: z
      .array(z.string().max(1000))
      .min(1)
      .max(1000)
      .optional()
      .openapi({ description: "Import only these tables of the file.", example: ["Orders", "Customers"] }),
    leaveOut: z
      .array(z.string().max(1000))
      .max(2000)
      .optional()
      .openapi({
        description: "Columns that are not imported, by label, or by letter for columns without a label of their own.",
        example: ["Notes"],
      }),
    locale: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "Locale. Default: the user's, then that of Accept-Language.", example: "de-CH" }),
  })
  .openapi("ImportChoices");
export type ImportOptions = z.infer<typeof ImportOptions>;

/** A column id of the table. */
const columnId = z.string().max(1000);

/** Import options for an existing table. */
export const TableImportOptions = ImportOptions.extend({
  columns: z
    .record(z.string().max(1000), columnId.nullable())
    .refine((columns) => Object.keys(columns).length <= 2000, "has too many columns")
    .optional()
    .openapi({
      maxProperties: 2000,
      description:
        "With `table`: columns of the table by the labels of columns of the file, or by their letters; null leaves a column out. " +
        "Other columns are matched by label or id.",
      example: { "Item name": "Item", Notes: null },
    }),
  key: z
    .array(columnId)
    .min(1)
    .max(8)
    .optional()
    .openapi({
      description: "With `table`: columns of the table. Rows of the file with the values of an existing row update it.",
      example: ["Item"],
    }),
  onMatch: z
    .enum(["update", "skip"])
    .optional()
    .openapi({ description: "With `key`: what happens to existing rows. Default: update." }),
  onNew: z
    .enum(["add", "skip"])
    .optional()
    .openapi({ description: "With `key`: what happens to rows of the file that match none. Default: add." }),
}).openapi("TableImportChoices");
export type TableImportOptions = z.infer<typeof TableImportOptions>;

const url = z.string().max(2000).openapi({
  description: "The https address of a file, or of a Google sheet that is public.",
  example: "https://example.com/people.csv",
});

export const UploadToImport = ImportOptions.extend({ uploadId, documentName }).openapi("UploadToImport");
export const AddressToImport = ImportOptions.extend({ url, documentName }).openapi("AddressToImport");
export const FileAddress = z.object({ url }).openapi("FileAddress");

export const FileUpload = z
  .object({ upload: z.string().openapi({ format: "binary", description: "One or more files." }) })
  .openapi("FileUpload");

export const UploadResult = z
  .object({
    uploadId,
    files: z.array(
      z.object({
        origName: z.string().openapi({ example: "people.csv" }),
        size: z.int().openapi({ description: "The size in bytes." }),
        ext: z.string().openapi({ description: "The extension in lower case, including the dot.", example: ".csv" }),
      }),
    ),
  })
  .openapi("KeptUpload");

export const UploadStatus = UploadResult.extend({
  progress: z
    .object({
      step: z.enum(["reading", "writing"]).openapi({ description: "`reading` the file, or `writing` its rows." }),
      done: z.int().openapi({ description: "The bytes that were read, or the rows that were written." }),
      total: z.int().nullable().openapi({ description: "All bytes or rows; null if unknown." }),
    })
    .nullable()
    .openapi({ description: "The progress of the import or dry run of the upload; null if there is none." }),
}).openapi("UploadStatus");

export const TableUpload = z
  .object({
    upload: z.string().openapi({
      format: "binary",
      description: "A file with tables: .csv, .tsv, .xlsx, .json or .ndjson; text files also as .gz.",
    }),
  })
  .openapi("TableUpload");
export const TableUploadReference = TableImportOptions.extend({ uploadId }).openapi("TableUploadReference");
export const TableAddress = TableImportOptions.extend({ url }).openapi("TableAddress");

export const TableImportQuery = z.object({
  table: z.string().max(1000).optional().openapi({
    description: "Id of an existing table to add the rows to. Default: creates tables.",
    example: "People",
  }),
  sheet: z.string().max(1000).optional().openapi({
    description: "Import only this table of the file, by its name in the file. Default: all tables.",
    example: "Sheet1",
  }),
  addColumns: flag("With `table`: add columns that the table does not have. Default: refuse the import."),
  dryRun: flag("Only report what would be imported, and keep the upload. Default: false."),
  dryrun: flag("As `dryRun`, and list all changes of the document, which are tried on a copy. Default: false."),
  change: flag(
    "Count the rows that are added, updated and unchanged, and return the state of the change, or with `dryRun` its size. " +
      "Default: false.",
  ),
});

export const DocumentImportQuery = TableImportQuery.pick({ dryRun: true }).extend({
  dryrun: flag("Alias of `dryRun`."),
  report: flag(
    "Include the report in the response; without it, the response has only `id` and `title`. Default: false.",
  ),
});

const count = z.int().min(0);

const ImportedColumn = z
  .object({
    id: z.string(),
    label: z.string(),
    source: z.string().optional().openapi({
      description:
        "The letter of the column in the file, which `types` and other options name it by; if absent, the label.",
    }),
    type: z.string().openapi({
      description: "Type of a new column, detected from its values. `Any` if it has no values.",
      example: "Numeric",
    }),
    kind: z
      .enum(["new", "existing", "skipped"])
      .openapi({ description: "`skipped`: a formula column of the table, which is not imported." }),
    format: z
      .record(z.string(), z.unknown())
      .optional()
      .openapi({ description: "The display format: the column's widgetOptions." }),
    firstValue: z.unknown().optional().openapi({ description: "The first value, in cell format." }),
    converted: count.optional().openapi({ description: "Number of values converted to the type of the column." }),
    unconverted: count
      .optional()
      .openapi({ description: "Number of values kept as text because they do not match the type of the column." }),
    examples: z.array(z.string()).optional().openapi({ description: "Up to five of these values." }),
    rule: z
      .enum(["values", "file", "delimiter", "locale", "request", "contradiction", "codes", "texts", "empty"])
      .optional()
      .openapi({ description: "The reason for the type." }),
    ambiguous: z
      .boolean()
      .optional()
      .openapi({ description: "True if the values were ambiguous and another criterion decided." }),
  })
  .openapi("ImportedColumn");

const ImportedTable = z
  .object({
    id: z.string().openapi({ description: "The table's id in the document." }),
    name: z.string().openapi({ description: "The table's name in the file." }),
    isNew: z.boolean(),
    rows: z.int(),
    delimiter: z.string().optional(),
    encoding: z.string().optional(),
    header: count.optional().openapi({ description: "Number of the header row; 0 if there is none." }),
    droppedLines: z.array(z.string()).optional().openapi({ description: "Number of lines above the table." }),
    blankLines: count.optional().openapi({ description: "Number of lines that are empty or contain only delimiters." }),
    hiddenSheets: z.array(z.string()).optional().openapi({ description: "Hidden sheets, which are not imported." }),
    errorCells: count.optional().openapi({ description: "Number of cells with errors, which are imported as empty." }),
    added: count
      .optional()
      .openapi({ description: "With `key`, `columns` or `change`: number of rows that are added." }),
    updated: count.optional().openapi({ description: "Number of existing rows that are changed." }),
    unchanged: count.optional().openapi({ description: "Number of existing rows with the same values already." }),
    skipped: count.optional().openapi({ description: "Number of rows that `onMatch` or `onNew` skips." }),
    duplicates: count.optional().openapi({
      description: "Number of rows that are not imported because a later row of the file has the same key.",
    }),
    duplicateExamples: z
      .array(z.array(z.string()))
      .optional()
      .openapi({ description: "The keys of up to five of them, as texts." }),
    emptyKeys: count
      .optional()
      .openapi({ description: "Number of rows whose key columns are all empty. They match no row." }),
    columns: z.array(ImportedColumn),
  })
  .openapi("ImportedTable");

const conventions = {
  decimal: z.string().openapi({ description: "Decimal separator of all numbers in the file." }),
  dates: z
    .enum(["dmy", "mdy"])
    .nullable()
    .openapi({ description: "Order of day and month; null if the file contains both." }),
};

const fileReport = z
  .object({
    ...conventions,
    locale: z.string().openapi({ description: "The document's locale." }),
    currency: z.string().openapi({ description: "The document's time zone." }),
    tables: z.array(ImportedTable),
  })
  .partial();

export const DocumentImport = ImportedDocument.extend(fileReport.shape).openapi("DocumentImport", {
  description: "With `report`: the import report of a file with tables.",
});

export const DocumentImportPreview = fileReport
  .extend({
    title: z.string().openapi({ description: "The file name without its extension." }),
    uploadId,
  })
  .openapi("DocumentImportPreview");

export const ImportReport = z
  .object({
    tables: z.array(ImportedTable),
    ...conventions,
    uploadId: uploadId
      .optional()
      .openapi({ description: "With `dryRun`: id of the upload, for importing the same file." }),
    changes: DryRunReport.optional(),
    actionNum: z.int().optional().openapi({ description: "With `change`: the number of the new state." }),
    actionHash: z.string().nullable().optional(),
    isModification: z
      .boolean()
      .optional()
      .openapi({ description: "With `change`: false if the document has these values already." }),
    size: ChangeSize.optional().openapi({ description: "With `change` and `dryRun`: the size of the change." }),
  })
  .openapi("ImportReport");

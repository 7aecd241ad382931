import { z } from "../common/schema.ts";
import { at } from "../common/past-states.ts";
import { flag } from "../common/query.ts";
import { FILTER_DESCRIPTION } from "../tables/records.ts";

/** Queries and responses of downloads. */

const tableId = z.string().max(1000).optional().openapi({
  description: "The table's id. Required unless `viewSection` is given.",
  example: "People",
});
const header = z.enum(["label", "colId"]).optional().openapi({
  description: "Header row: the labels of the columns (default) or their ids.",
  example: "colId",
});
const title = z.string().max(1000).optional().openapi({
  description: "File name without extension. Default: the names of the document and the table.",
  example: "Members in May",
});

/** Exports a widget instead of a table. Empty texts count as absent. */
const section = {
  viewSection: z.string().max(100).optional().openapi({
    description: "The id of a widget. Exports its fields with its formats, sort order and filters.",
    example: "4",
  }),
  activeSortSpec: z.string().max(100_000).optional().openapi({
    description: "With `viewSection`: a JSON array of column numbers to sort by, negative for descending order.",
    example: "[3,-5]",
  }),
  filters: z.string().max(1_000_000).optional().openapi({
    description: 'With `viewSection`: filters that replace the saved ones, a JSON array of `{"colRef", "filter"}`.',
    example: '[{"colRef":3,"filter":"{\\"included\\":[\\"Oslo\\"]}"}]',
  }),
  linkingFilter: z.string().max(1_000_000).optional().openapi({
    description: "With `viewSection`: the rows selected by a linked widget, as JSON with `filters` and `operations`.",
    example: '{"filters":{"City":[7]},"operations":{"City":"in"}}',
  }),
};

const filter = z
  .string()
  .max(1_000_000)
  .optional()
  .openapi({
    description: `With \`tableId\`: the records to download. A JSON object. ${FILTER_DESCRIPTION}`,
    example: '{"City":["Oslo","Lima"],"Age":{"gte":18}}',
  });

export const TableSchemaQuery = z.object({ tableId, header, filter, ...section, at });
export const TableDownloadQuery = TableSchemaQuery.extend({ title });
export type TableDownloadQuery = z.infer<typeof TableDownloadQuery>;

export const DocumentDownloadQuery = z.object({
  nohistory: flag("Exclude the document's history, which can reduce the file size considerably. Default: false."),
  template: flag("Exclude all rows, attachments and history, to use the file as a template. Default: false."),
  noattachments: flag(
    "Exclude attachments stored outside of the document file; download them from `attachments/archive`. Default: false.",
  ),
  dryrun: flag("Only check whether the download is permitted. Default: false."),
  dryRun: flag("Alias of `dryrun`."),
  title: z.string().max(1000).optional().openapi({
    description: "File name without extension. Default: the name of the document.",
    example: "Backup",
  }),
});

export const TableSchema = z
  .object({
    name: z.string().openapi({ example: "people" }),
    title: z.string().openapi({ example: "People" }),
    format: z.literal("csv"),
    mediatype: z.literal("text/csv"),
    encoding: z.literal("utf-8"),
    path: z.string().openapi({ description: "Address of the table's CSV download." }),
    dialect: z.object({ delimiter: z.string(), doubleQuote: z.boolean() }),
    schema: z.object({
      fields: z.array(
        z
          .object({ name: z.string(), type: z.string(), description: z.string().optional() })
          .loose()
          .openapi({ example: { name: "Age", type: "string" } }),
      ),
    }),
  })
  .openapi("TableSchema");

/** The response of a download with `dryrun`. */
export const DryRunResult = z.object({ dryRun: z.literal("allowed") }).openapi("DryRunAnswer");

import { z } from "@hono/zod-openapi";
import { flag } from "../common/query.ts";

/** Queries and answers of downloads. */

const tableId = z.string().max(1000).optional().openapi({
  description: "The table's id. Required, unless `viewSection` is given.",
  example: "People",
});
const header = z.enum(["label", "colId"]).optional().openapi({
  description: "What heads the columns: their labels (default), or their ids.",
  example: "colId",
});
const title = z.string().max(1000).optional().openapi({
  description: "What the file is called, without its ending; by default after the document and the table.",
  example: "Members in May",
});

/** What a widget shows in place of the table as it is. Empty texts count as absent. */
const section = {
  viewSection: z.string().max(100).optional().openapi({
    description: "The number of a widget: its fields, formats, sort and filters are exported.",
    example: "4",
  }),
  activeSortSpec: z.string().max(100_000).optional().openapi({
    description: "With `viewSection`: a JSON list of numbers of columns to sort by, negative for descending.",
    example: "[3,-5]",
  }),
  filters: z.string().max(1_000_000).optional().openapi({
    description: 'With `viewSection`: filters in place of saved ones, a JSON list of `{"colRef", "filter"}`.',
    example: '[{"colRef":3,"filter":"{\\"included\\":[\\"Oslo\\"]}"}]',
  }),
  linkingFilter: z.string().max(1_000_000).optional().openapi({
    description: "With `viewSection`: rows that another widget links to, as JSON with `filters` and `operations`.",
    example: '{"filters":{"City":[7]},"operations":{"City":"in"}}',
  }),
};

export const TableSchemaQuery = z.object({ tableId, header, ...section });
export const TableDownloadQuery = TableSchemaQuery.extend({ title });
export type TableDownloadQuery = z.infer<typeof TableDownloadQuery>;

export const DocumentDownloadQuery = z.object({
  nohistory: flag("Leave out the document's history, which can make the file much smaller."),
  template: flag("Leave out all rows, attachments and history: the structure alone, for use as a template."),
  noattachments: flag("Leave out attachments that lie beside the document; `attachments/archive` gives them."),
  dryrun: flag("Only ask whether it is allowed."),
  dryRun: flag("As `dryrun`."),
  title: z.string().max(1000).optional().openapi({
    description: "What the file is called, without its ending; by default as the document.",
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
    path: z.string().openapi({ description: "Address of the table as CSV." }),
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

/** What a download answers that only asks whether it is allowed. */
export const DryRunResult = z.object({ dryRun: z.literal("allowed") }).openapi("DryRunAnswer");

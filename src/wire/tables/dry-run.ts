import { z } from "../common/schema.ts";
import { flag } from "../common/query.ts";
import { CellValue, Fields } from "./cells.ts";

/** The query parameter that all writes of a document's content have, and the report that they then answer. */

export const DryRunQuery = z.object({
  dryrun: flag(
    "Change nothing, and return a report of what the change would do: its effect on rows, computed cells, tables, " +
      "columns and webhooks. Default: false.",
  ),
});

const count = (description: string, example: number) => z.int().min(0).openapi({ description, example });
const name = z.string();

const DryRunRow = z
  .object({
    id: z
      .int()
      .optional()
      .openapi({ description: "Missing for added rows if access rules hide anything from the caller." }),
    fields: Fields,
  })
  .openapi("DryRunRow");

const DryRunChangedRow = z
  .object({
    id: z.int(),
    before: z.record(z.string(), CellValue),
    after: z.record(z.string(), CellValue),
    recomputed: z.array(name).openapi({ description: "The columns among them that formulas fill." }),
  })
  .openapi("DryRunChangedRow", {
    description: "The cells of a row that change, by column id.",
    example: { id: 7, before: { Amount: 2, Total: 10 }, after: { Amount: 3, Total: 15 }, recomputed: ["Total"] },
  });

const DryRunTable = z
  .object({
    table: name.openapi({
      description: "The table's id after the change, or its last one. Metadata tables are listed after other tables.",
      example: "Orders",
    }),
    rows: z
      .object({ added: count("", 0), changed: count("", 1), removed: count("", 0) })
      .openapi({ description: "How many rows the change adds, changes and removes." }),
    cells: z
      .object({ changed: count("", 2), recomputed: count("How many of them formulas fill.", 1) })
      .openapi({ description: "How many cells change in rows that exist before and after." }),
    added: z.array(DryRunRow).max(100),
    changed: z.array(DryRunChangedRow).max(100),
    removed: z.array(DryRunRow).max(100).openapi({ description: "With their last cells." }),
  })
  .openapi("DryRunTable");

const columnName = z.object({ table: name, column: name });
const columnFields = z.record(z.string(), z.unknown());

const DryRunSchema = z
  .object({
    tables: z.object({
      added: z.array(name).max(100),
      removed: z.array(name).max(100),
      renamed: z.array(z.object({ from: name, to: name })).max(100),
    }),
    columns: z.object({
      added: z.array(columnName).max(100),
      removed: z.array(columnName).max(100),
      changed: z
        .array(z.object({ table: name, column: name, before: columnFields, after: columnFields }))
        .max(100)
        .openapi({ description: "The names after the change, and the properties that change." }),
    }),
  })
  .openapi("DryRunSchema");

export const DryRunReport = z
  .object({
    tables: z.array(DryRunTable),
    schema: DryRunSchema,
    webhooks: z
      .array(
        z.object({
          id: z.string(),
          name: z.string().nullable(),
          events: count("Number of rows that the webhook would receive.", 1),
        }),
      )
      .optional()
      .openapi({ description: "The webhooks that would be called; for owners only." }),
    isTruncated: z
      .boolean()
      .openapi({ description: "True when lists leave out items: the numbers of rows and cells are complete." }),
  })
  .openapi("DryRunReport", {
    description:
      "With `dryrun`: what the change would do, as far as the caller can read it before and after the change.",
  });

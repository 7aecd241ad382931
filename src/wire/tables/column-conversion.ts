import { z } from "../common/schema.ts";
import { flag } from "../common/query.ts";

/** Requests and responses of converting a column to another type. */

export const ConvertColumnQuery = z.object({
  dryRun: flag("Change nothing, and return a preview of the conversion. Default: false."),
});

export const ConvertColumnBody = z
  .object({
    type: z.string().min(1).max(1000).openapi({ description: "The new type.", example: "Date" }),
    widgetOptions: z.string().max(1_000_000).optional().openapi({
      description: "The column's new options, as JSON text. Text is parsed in these formats. Default: unchanged.",
      example: '{"dateFormat":"DD.MM.YYYY"}',
    }),
    visibleCol: z.int().min(0).max(2_147_483_647).optional().openapi({
      description: "For references: the number of the column of the target table to show; 0 for row ids.",
    }),
    matchCol: z.int().min(0).max(2_147_483_647).optional().openapi({
      description:
        "For references: the number of the column of the target table to look up texts in; 0 for row ids. Default: `visibleCol`.",
    }),
    addMissing: z.boolean().optional().openapi({
      description: "For references: add a row to the target table for each text that no row has. Default: false.",
    }),
  })
  .openapi("ConvertColumn");

export const ColumnConversion = z
  .object({ actionNum: z.int().openapi({ description: "The number of the document's new state." }) })
  .openapi("ColumnConversion");

export const ConversionPreview = z
  .object({
    cells: z.int().openapi({ description: "Number of non-empty cells." }),
    converted: z.int().openapi({ description: "Number of cells converted to the new type. The others stay text." }),
    examples: z
      .array(
        z.object({
          text: z.string().openapi({ example: "n/a" }),
          count: z.int().openapi({ description: "Number of cells with this text." }),
          rows: z.array(z.int()).openapi({ description: "Up to three row ids of such cells." }),
        }),
      )
      .openapi({ description: "Up to five different texts that cannot be converted, the most frequent first." }),
    formats: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({
        description: "For dates: a `widgetOptions` with which more texts can be converted; null if there is none.",
        example: { dateFormat: "DD.MM.YYYY" },
      }),
    missing: z
      .int()
      .optional()
      .openapi({ description: "For references: number of rows that `addMissing` adds to the target table." }),
  })
  .openapi("ConversionPreview");

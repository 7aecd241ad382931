import { z } from "@hono/zod-openapi";
import { flag } from "../common/query.ts";

/** Body, query and answers of converting a column to another type. */

export const ConvertColumnQuery = z.object({
  dryRun: flag("Change nothing, and return what would convert."),
});

export const ConvertColumnBody = z
  .object({
    type: z.string().min(1).max(1000).openapi({ description: "The new type.", example: "Date" }),
    widgetOptions: z.string().max(1_000_000).optional().openapi({
      description:
        "The column's options from then on, as JSON text: texts are read in these formats. Default: unchanged.",
      example: '{"dateFormat":"DD.MM.YYYY"}',
    }),
    visibleCol: z.int().min(0).max(2_147_483_647).optional().openapi({
      description:
        "For references: the number of the target table's column that is shown. Texts are looked up there; 0 for row ids.",
    }),
  })
  .openapi("ConvertColumn");

export const ColumnConversion = z
  .object({ actionNum: z.int().openapi({ description: "The number of the document's new state." }) })
  .openapi("ColumnConversion");

export const ConversionPreview = z
  .object({
    cells: z.int().openapi({ description: "Cells that hold something." }),
    converted: z.int().openapi({ description: "Cells that get a value of the new type. The others stay as text." }),
    examples: z
      .array(
        z.object({
          text: z.string().openapi({ example: "n/a" }),
          count: z.int().openapi({ description: "Cells with this text." }),
          rows: z.array(z.int()).openapi({ description: "Ids of up to three of their rows." }),
        }),
      )
      .openapi({ description: "Up to five different texts that stay, the most frequent first." }),
    formats: z
      .record(z.string(), z.unknown())
      .nullable()
      .openapi({
        description:
          "For dates: `widgetOptions` that read more of the texts than the given ones; null where there are none.",
        example: { dateFormat: "DD.MM.YYYY" },
      }),
  })
  .openapi("ConversionPreview");

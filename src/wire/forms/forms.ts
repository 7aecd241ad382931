import { z } from "../common/schema.ts";
import { DocParams } from "../common/params.ts";

/** As in addresses of the established server, the leading digits count. */
const section = z
  .string()
  .regex(/^\s*[+-]?\d/, "must be a number")
  .transform((text) => Math.max(0, Number.parseInt(text, 10)))
  .openapi({ type: "integer", description: "The row id of the form's section.", example: 10 });

const key = z.string().min(1).max(100).openapi({
  description: "The key of the link, from `GET /api/docs/{docId}/shares`.",
  example: "d4nY6cXbWmQ2tKsR8vZpLe",
});

export const DocFormParams = DocParams.extend({ section });
export const LinkParams = z.object({ key });
export const LinkFormParams = LinkParams.extend({ section });
export const LinkTableParams = LinkParams.extend({
  tableId: z.string().min(1).max(1000).openapi({ description: "The table's id, or its number.", example: "Signup" }),
});

const cell = z.unknown().openapi({ description: "A cell value." });

const FormField = z.object({
  colId: z.string().openapi({ example: "Team" }),
  question: z.string().openapi({ example: "Your team" }),
  description: z.string(),
  type: z.string().openapi({ description: "The column's type without its argument.", example: "Ref" }),
  options: z
    .record(z.string(), z.unknown())
    .openapi({ description: "The options of the column, and over them those of the field." }),
  refValues: z
    .array(z.tuple([z.int(), cell]))
    .nullable()
    .openapi({
      description:
        "For references: pairs of a row id and the value that the row displays, of the first 10,000 rows; else null.",
      example: [[1, "Red"]],
    }),
  hasMore: z.literal(true).optional().openapi({
    description:
      "Present if there can be further rows. Answers name them by the value that they display, or by their id.",
  }),
});

export const FormDefinition = z
  .object({
    formFieldsById: z.record(z.string(), FormField).openapi({ description: "By the row id of the field." }),
    formLayoutSpec: z.string().openapi({ description: "The layout, as JSON text." }),
    formTableId: z.string().openapi({ example: "Signup" }),
    formTitle: z.string().openapi({ example: "Join us" }),
    closesAt: z.string().optional().openapi({ description: "When the form closes; absent if it has no date." }),
    signIn: z.literal(true).optional().openapi({ description: "Present if only signed-in users can answer." }),
  })
  .openapi("FormDefinition");

export const ShareKeys = z
  .array(
    z.object({
      linkId: z.string().openapi({ description: "As in `_grist_Shares`." }),
      key: z.string().openapi({ description: "The key in the addresses of the share's forms." }),
    }),
  )
  .openapi("ShareKeys");

export const LinkedRecords = z
  .object({
    records: z.array(
      z.object({
        id: z.int(),
        fields: z.record(z.string(), cell).openapi({ description: "The columns that references display." }),
      }),
    ),
  })
  .openapi("OfferedRecords");

export const AnswerHeaders = z.object({
  "Idempotency-Key": z.string().max(255).optional().openapi({
    description: "Requests with the same key and body add their rows once.",
    example: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  }),
});

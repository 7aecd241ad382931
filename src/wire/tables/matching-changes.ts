import { z } from "../common/schema.ts";
import { Fields } from "./cells.ts";
import { FILTER_DESCRIPTION } from "./records.ts";

/** Requests and responses of changing all records that a filter selects. Workers validate the bodies. */

const filter = z.record(z.string().max(1000), z.unknown()).openapi({
  description: `Selects records among the ones that the caller can read; \`{}\` selects all. ${FILTER_DESCRIPTION}`,
});
const columnId = z.string().min(1).max(1000);

const matching = {
  filter,
  expectedRows: z.int().min(0).max(200_000).openapi({
    description: "How many records the filter has to select. With another number nothing is changed.",
  }),
};

export const ChangeMatchingBody = z
  .union([
    z.object({
      ...matching,
      fields: Fields.openapi({ description: "The new values, the same for all records." }),
      noparse: z.boolean().optional().openapi({ description: "Store text as it is. Default: false." }),
    }),
    z.object({
      ...matching,
      replace: z
        .object({
          column: columnId.openapi({ description: "A column of type Text." }),
          find: z.string().min(1).max(10_000),
          by: z.string().max(10_000).openapi({ description: "Replaces each occurrence." }),
          matchCase: z.boolean().optional().openapi({ description: "Default: false." }),
        })
        .openapi({ description: "Finds and replaces a text in the cells of a column." }),
    }),
    z.object({ ...matching, action: z.enum(["delete", "duplicate"]) }),
  ])
  .openapi("ChangeMatching", {
    description: "With `fields`, `replace` or `action`.",
    example: { filter: { Status: { eq: "open" } }, expectedRows: 12, fields: { Status: "done" } },
  });
export type ChangeMatchingBody = z.infer<typeof ChangeMatchingBody>;

export const MatchingChanged = z
  .object({
    rows: z.int().openapi({ description: "How many records were changed, deleted or added." }),
    actionNum: z.int().openapi({ description: "The number of the document's new state; 0 if no state was created." }),
    actionHash: z.string().nullable(),
    isModification: z.boolean().openapi({ description: "False if nothing was changed." }),
  })
  .openapi("MatchingChanged");

export const ChangeSizeBody = z
  .object({
    filter,
    columns: z
      .array(columnId)
      .max(2000)
      .optional()
      .openapi({ description: "The columns to change. Default: all that are not computed by formulas." }),
  })
  .openapi("ChangeSizeQuestion", { example: { filter: { Status: { eq: "open" } }, columns: ["Status"] } });

export const ChangeSize = z
  .object({
    rows: z.int().openapi({ description: "How many records the filter selects." }),
    cells: z.int().openapi({ description: "How many cells of them would change at most, without formulas." }),
    bytes: z.int().openapi({ description: "About how much history the change would take." }),
    keptBytes: z.int().openapi({ description: "How much history the document keeps." }),
  })
  .openapi("ChangeSize");

import { z } from "../common/schema.ts";
import { CellValue } from "../tables/cells.ts";
import { UndoConflict } from "./undo.ts";

/** The return of cells and rows of a table to what they were at a state. */

const MAX_LISTED = 10_000;

export const RestoreCellsBody = z
  .object({
    table: z.string().min(1).openapi({ description: "The table's present id.", example: "Orders" }),
    rows: z
      .array(z.int().min(1))
      .min(1)
      .max(MAX_LISTED)
      .optional()
      .openapi({
        description:
          "Ids of the rows to restore. A deleted row returns with its id, if `columns` is absent. Without `rows`, all rows that exist " +
          "both at the state and now.",
        example: [3],
      }),
    columns: z
      .array(z.string().min(1))
      .min(1)
      .max(MAX_LISTED)
      .optional()
      .openapi({
        description: "Present ids of the columns to restore. Default: all that hold data.",
        example: ["Amount"],
      }),
    unchangedSince: z
      .int()
      .min(1)
      .optional()
      .openapi({
        description:
          "The newest state that you have seen. Cells that changed after it are left alone, with the reason `changed_since`. Without it, " +
          "they are overwritten.",
        example: 12,
      }),
    newIds: z
      .boolean()
      .optional()
      .openapi({
        description:
          "Whether deleted rows whose ids other rows have now (`id_in_use`) return under new ids. References to them are not set again. " +
          "Only with `rows` and without `columns`. Default: false.",
      }),
    references: z.boolean().optional().openapi({
      description: "Whether references that the deletion of the rows cleared are set again. Default: true.",
    }),
    planId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .openapi({ description: "The id of the plan to apply. Without it, nothing is changed." }),
  })
  .openapi("RestoreCells");
export type RestoreCellsBody = z.infer<typeof RestoreCellsBody>;

const table = z.string();
const row = z.int();
const column = z.string();

export const RestoredCells = z
  .object({
    planId: z.string().openapi({ description: "Identifies exactly these changes." }),
    from: z.int().openapi({ description: "The number of the state that values are taken from." }),
    isApplied: z.boolean().openapi({ description: "False for a plan." }),
    state: z
      .int()
      .nullable()
      .openapi({ description: "The new state; null for a plan, and if nothing was to be restored." }),
    counts: z
      .object({ cells: z.int(), restoredRows: z.int(), conflicts: z.int() })
      .openapi({ description: "The lengths of the whole lists." }),
    columns: z
      .array(z.object({ table, column, cells: z.int() }))
      .openapi({ description: "The number of changed cells by column, references of other tables included." }),
    cells: z
      .array(z.object({ table, row, column, from: CellValue, to: CellValue }))
      .openapi({ description: "Cells that get their former value `to` back." }),
    restoredRows: z
      .array(z.object({ table, row, fields: z.record(z.string(), CellValue) }))
      .openapi({ description: "Deleted rows that return." }),
    conflicts: z.array(UndoConflict).openapi({ description: "Cells and rows that are left alone." }),
    isComplete: z.boolean().openapi({ description: "False if a list was cut, each after at most 100 items." }),
  })
  .openapi("RestoredCells");
export type RestoredCells = z.infer<typeof RestoredCells>;

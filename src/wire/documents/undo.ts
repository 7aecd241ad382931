import { z } from "../common/schema.ts";
import { CellValue } from "../tables/cells.ts";

/** The undo of the caller's own changes. */

export const UndoChangesBody = z
  .object({
    since: z.union([z.int().min(0), z.string().min(1).max(40)]).openapi({
      description:
        "Undo the changes after this state: its number, or a time in ISO 8601 for the last state at or before it; 0 for all " +
        "changes. A time without `Z` or an offset is in the document's time zone.",
      example: 7,
    }),
    planId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .openapi({ description: "The id of the plan to apply. Without it, nothing is changed." }),
  })
  .openapi("UndoChanges");
export type UndoChangesBody = z.infer<typeof UndoChangesBody>;

const table = z.string().openapi({ description: "The table's id.", example: "Orders" });
const row = z.int().openapi({ description: "The row's id.", example: 3 });
const column = z.string().openapi({ description: "The column's id.", example: "Amount" });

export const UndoConflict = z
  .object({
    table,
    row: row.optional(),
    column: column.optional(),
    reason: z
      .enum([
        "changed_since",
        "removed_since",
        "id_in_use",
        "referenced",
        "missing_reference",
        "two_way_reference",
        "column_changed",
        "column_removed",
        "table_removed",
        "schema",
        "settings",
        "not_permitted",
        "computed",
        "not_in_state",
      ])
      .openapi({ description: "Why the change is left alone." }),
  })
  .openapi("UndoConflict");

export const UndoneChanges = z
  .object({
    planId: z.string().openapi({ description: "Identifies exactly these changes." }),
    since: z.int().openapi({ description: "The number of the state whose later changes are undone." }),
    isApplied: z.boolean().openapi({ description: "False for a plan." }),
    state: z
      .int()
      .nullable()
      .openapi({ description: "The new state; null for a plan, and if nothing was to be undone." }),
    counts: z
      .object({ cells: z.int(), removedRows: z.int(), restoredRows: z.int(), conflicts: z.int() })
      .openapi({ description: "The lengths of the whole lists." }),
    cells: z
      .array(z.object({ table, row, column, from: CellValue, to: CellValue }))
      .openapi({ description: "Cells that get their former value `to` back." }),
    removedRows: z.array(z.object({ table, row })).openapi({ description: "Rows that the caller had added." }),
    restoredRows: z
      .array(z.object({ table, row, fields: z.record(z.string(), CellValue) }))
      .openapi({ description: "Rows that the caller had deleted." }),
    conflicts: z.array(UndoConflict).openapi({ description: "Changes of the caller that are left alone." }),
    isComplete: z.boolean().openapi({ description: "False if a list was cut, each after at most 100 items." }),
  })
  .openapi("UndoneChanges");

import { z } from "../common/schema.ts";

/** Responses that describe tables and columns. */

export const Column = z
  .object({
    id: z.string().openapi({ example: "Name" }),
    fields: z
      .object({
        colRef: z.int(),
        label: z.string(),
        type: z.string().openapi({ example: "Ref:People" }),
        isFormula: z.boolean(),
        formula: z.string(),
        widgetOptions: z.string().openapi({ description: "A JSON object as text." }),
        description: z.string(),
        parentId: z.int(),
        parentPos: z.number().nullable(),
        untieColIdFromLabel: z.boolean(),
        summarySourceCol: z.int(),
        displayCol: z.int(),
        visibleCol: z.int(),
        rules: z.array(z.unknown()).nullable(),
        reverseCol: z.int(),
        recalcWhen: z.int(),
        recalcDeps: z.array(z.unknown()).nullable(),
      })
      .loose(),
  })
  .openapi("Column");

export const Columns = z.object({ columns: z.array(Column) }).openapi("Columns");

export const Tables = z
  .object({
    tables: z.array(
      z.object({
        id: z.string().openapi({ example: "People" }),
        fields: z
          .object({
            tableRef: z.int(),
            primaryViewId: z.int(),
            summarySourceTable: z.int(),
            onDemand: z.boolean(),
            rawViewSectionRef: z.int(),
            recordCardViewSectionRef: z.int(),
          })
          .loose(),
        columns: z.array(Column).optional(),
      }),
    ),
  })
  .openapi("Tables");

export const TablesQuery = z.object({
  expand: z
    .literal("column")
    .optional()
    .openapi({ description: "`column` includes the columns of each table.", example: "column" }),
});

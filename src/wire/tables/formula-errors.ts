import { z } from "@hono/zod-openapi";

/** What is told of formulas that failed. */

export const FormulaErrorsQuery = z.object({
  table: z.string().max(500).optional().openapi({ description: "Only the cells of this table.", example: "Orders" }),
  column: z.string().max(500).optional().openapi({ description: "Only the cells of this column.", example: "Total" }),
  limit: z
    .string()
    .regex(/^([1-9]\d{0,3})?$/, "must be a number from 1 to 9999")
    .optional()
    .transform((text) => (text === undefined || text === "" ? 100 : Number(text)))
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: 9999,
      description: "At most so many cells; 100 by default.",
    } as never),
});

export const FormulaErrors = z
  .object({
    formulas: z
      .array(
        z.object({
          table: z.string(),
          column: z.string(),
          error: z.string().openapi({ description: "The kind of error.", example: "SyntaxError" }),
          message: z.string().openapi({ description: "What that means." }),
          detail: z.string().openapi({ description: "What Python says of it.", example: "invalid syntax (line 1)" }),
          line: z.int().nullable().openapi({ description: "The line of the formula, from 1; null where not known." }),
        }),
      )
      .openapi({ description: "Formulas that cannot be read, whatever rows there are. All of them." }),
    errors: z.array(
      z.object({
        table: z.string(),
        column: z.string(),
        row: z.int(),
        error: z
          .string()
          .openapi({ description: "The kind of error, as the cell has it.", example: "ZeroDivisionError" }),
        message: z.string().openapi({ description: "What that means.", example: "A number is divided by zero." }),
        detail: z.string().nullable().openapi({
          description: "What Python says of it; null when the formula would not fail any more.",
          example: "division by zero",
        }),
        line: z
          .int()
          .nullable()
          .openapi({ description: "The line of the formula, from 1; null as `detail`, and where not known." }),
      }),
    ),
  })
  .openapi("FormulaErrors");

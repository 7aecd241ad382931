import { z } from "../common/schema.ts";

/** Requests and responses of the list of formula errors. */

export const FormulaErrorsQuery = z.object({
  table: z.string().max(500).optional().openapi({ description: "Return only cells of this table.", example: "Orders" }),
  column: z
    .string()
    .max(500)
    .optional()
    .openapi({ description: "Return only cells of this column.", example: "Total" }),
  limit: z
    .string()
    .regex(/^([1-9]\d{0,3})?$/, "must be an integer from 1 to 9999")
    .optional()
    .transform((text) => (text === undefined || text === "" ? 100 : Number(text)))
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: 9999,
      description: "Maximum number of cells. Default: 100. Maximum: 9999.",
    } as never),
});

export const FormulaErrors = z
  .object({
    formulas: z
      .array(
        z.object({
          table: z.string(),
          column: z.string(),
          error: z.string().openapi({ description: "The type of the error.", example: "SyntaxError" }),
          message: z.string().openapi({ description: "An explanation of the error." }),
          detail: z
            .string()
            .openapi({ description: "The message of the error in Python.", example: "invalid syntax (line 1)" }),
          line: z.int().nullable().openapi({ description: "The line of the formula, from 1; null if unknown." }),
        }),
      )
      .openapi({ description: "All formulas with syntax errors, regardless of rows." }),
    errors: z.array(
      z.object({
        table: z.string(),
        column: z.string(),
        row: z.int(),
        error: z.string().openapi({ description: "The type of the error in the cell.", example: "ZeroDivisionError" }),
        message: z
          .string()
          .openapi({ description: "An explanation of the error.", example: "A number is divided by zero." }),
        detail: z.string().nullable().openapi({
          description: "The message of the error in Python; null if the formula would succeed now.",
          example: "division by zero",
        }),
        line: z
          .int()
          .nullable()
          .openapi({ description: "The line of the formula, from 1; null if unknown, and whenever `detail` is null." }),
      }),
    ),
  })
  .openapi("FormulaErrors");

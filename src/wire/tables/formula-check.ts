import { z } from "../common/schema.ts";
import { CellValue } from "./cells.ts";

/** Requests and responses of checking a formula. */

export const FormulaCheckBody = z
  .object({
    formula: z
      .string()
      .max(100_000)
      .openapi({ description: "A formula, as a column would store it.", example: "$Price * $Quantity" }),
    column: z.string().min(1).max(1000).optional().openapi({
      description: "The column of the formula, whose type and format the result has. Default: a column of type Any.",
    }),
    row: z.int().min(1).optional().openapi({ description: "The row of the result. Default: no result." }),
    isTrigger: z.boolean().optional().openapi({
      description: "True for the trigger formula of a data column, which can use `value` and `user`. Default: false.",
    }),
  })
  .openapi("FormulaCheckRequest");

const span = {
  from: z.int().openapi({ description: "Start of the problem in the formula, in UTF-16 code units from 0." }),
  to: z.int().openapi({ description: "End of the problem." }),
};
const named = {
  ...span,
  name: z.string().openapi({ description: "The name, as the formula has it." }),
  suggestion: z
    .string()
    .nullable()
    .openapi({ description: "A similar name that exists; null for none.", example: "Amount" }),
};
const error = {
  error: z.string().openapi({ description: "The type of the error.", example: "ZeroDivisionError" }),
  message: z.string().openapi({ description: "An explanation of the error.", example: "A number is divided by zero." }),
  detail: z.string().openapi({ description: "The message of the error in Python.", example: "division by zero" }),
};

export const FormulaCheck = z
  .object({
    problems: z
      .array(
        z.union([
          z.object({ kind: z.literal("syntax"), ...span, ...error }),
          z.object({ kind: z.literal("column"), table: z.string(), ...named }),
          z.object({ kind: z.literal("name"), ...named }),
        ]),
      )
      .openapi({
        description:
          "`syntax`: cannot be parsed. `column`: the table has no such column. `name`: neither a function nor a table nor a variable.",
      }),
    result: z
      .union([
        z.object({
          kind: z.literal("value"),
          value: CellValue,
          text: z.string().openapi({ description: "The value as the grid would show it." }),
        }),
        z.object({
          kind: z.literal("error"),
          ...error,
          line: z.int().nullable().openapi({ description: "The line of the formula, from 1; null if unknown." }),
        }),
        z.object({ kind: z.literal("unknown") }),
      ])
      .nullable()
      .openapi({
        description:
          "Null without a row, and for a formula with problems. `unknown`: depends on what the caller cannot read.",
      }),
  })
  .openapi("FormulaCheck");

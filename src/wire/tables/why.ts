import { DocParams } from "../common/params.ts";
import { z } from "../common/schema.ts";
import { CellValue } from "./cells.ts";

/** Requests and responses of the explanation of a cell. */

export const CellParams = DocParams.extend({
  tableId: z.string().min(1).max(1000).openapi({ description: "The table's id.", example: "Orders" }),
  rowId: z.string().min(1).max(100).openapi({ description: "The record's id.", example: "1" }),
  columnId: z.string().min(1).max(1000).openapi({ description: "The column's id, without `$`.", example: "Total" }),
});

export const WhyQuery = z.object({
  limit: z
    .string()
    .regex(/^([1-9]\d{0,2})?$/, "must be an integer from 1 to 999")
    .optional()
    .transform((text) => (text === undefined || text === "" ? 100 : Number(text)))
    .openapi({
      type: "integer",
      minimum: 1,
      maximum: 999,
      description: "Maximum number of cells and of look-ups to list. Default: 100. Maximum: 999.",
    } as never),
});

const cellName = {
  table: z.string(),
  row: z.int(),
  rowLabel: z.string().nullable().openapi({ description: "A text of the row that names it; null for none." }),
  column: z.string(),
  label: z.string().openapi({ description: "The label of the column." }),
};
const CellName = z.object(cellName).openapi("CellName");

const ExplainedCell = z
  .object({
    ...cellName,
    value: CellValue,
    text: z.string().openapi({ description: "The value as the grid shows it." }),
  })
  .openapi("ExplainedCell");

const LookupRead = z.object({
  kind: z.enum(["lookup", "group"]).openapi({ description: "`group`: the source rows of a row of a summary table." }),
  table: z.string(),
  criteria: z.array(
    z.object({
      column: z.string(),
      label: z.string(),
      contains: z.boolean().openapi({ description: "True for CONTAINS: the list has to contain the value." }),
      value: CellValue,
      text: z.string(),
    }),
  ),
  sort: z.array(z.string()).openapi({ description: "Column ids; a leading `-` means descending." }),
  found: z.int().openapi({ description: "Number of rows found, as far as the caller can read them." }),
  rows: z
    .array(z.object({ row: z.int(), label: z.string().nullable() }))
    .openapi({ description: "The first ten of them." }),
});

const CellPermission = z
  .object({
    allowed: z.boolean(),
    memos: z.array(z.string()).openapi({ description: "The memos of the rules that contributed to a refusal." }),
    rule: z
      .object({
        table: z.string(),
        columns: z.string(),
        condition: z.string(),
        permissions: z.string(),
        memo: z.string(),
      })
      .nullable()
      .openapi({ description: "The rule that decides, for owners only; null where the role decides." }),
  })
  .openapi("CellPermission");

export const CellExplanation = z
  .object({
    cell: ExplainedCell,
    kind: z.enum(["data", "formula", "trigger", "summary"]).openapi({
      description: "`trigger`: data with a trigger formula. `summary`: a group-by column of a summary table.",
    }),
    formula: z.string().nullable(),
    summaryOf: z.string().nullable().openapi({ description: "The source of a summary table; null otherwise." }),
    trigger: z
      .object({
        when: z.enum(["changes", "everyEdit", "never"]).openapi({
          description: "`changes`: for new records, and when a cell of `columns` changes.",
        }),
        columns: z.array(z.object({ column: z.string(), label: z.string() })),
      })
      .nullable()
      .openapi({ description: "When the trigger formula runs; null without one." }),
    error: z
      .object({
        type: z.string().openapi({ example: "ZeroDivisionError" }),
        message: z.string().openapi({ example: "A number is divided by zero." }),
        remedy: z.string().openapi({ description: "How to correct it." }),
        detail: z.string().nullable().openapi({ description: "The message in Python; null if it is not known." }),
        line: z.int().nullable().openapi({ description: "The line of the formula, from 1; null if it is not known." }),
        origin: CellName.nullable().openapi({
          description: "The cell that the error comes from; null if it is this one, or not known.",
        }),
        cycle: z
          .array(CellName)
          .openapi({ description: "For CircularRefError: the cells that depend on each other, each once." }),
      })
      .nullable()
      .openapi({ description: "The error in the cell; null for none." }),
    reads: z
      .object({
        cells: z.array(ExplainedCell),
        more: z.int().openapi({ description: "Number of further cells." }),
        lookups: z.array(LookupRead),
        moreLookups: z.int().openapi({ description: "Number of further look-ups." }),
        clock: z.boolean().openapi({ description: "True if the formula reads the clock." }),
        user: z.array(z.string()).openapi({
          description: "The attributes of the user that a trigger formula reads.",
          example: ["Email"],
        }),
      })
      .openapi({ description: "The cells and look-ups that the formula reads now." }),
    cost: z
      .object({
        steps: z.int().openapi({ description: "The same on every machine; a step is about 20 ns." }),
        time: z.enum(["fast", "moderate", "slow"]).openapi({
          description: "`fast`: up to about 2 ms. `slow`: from about 100 ms.",
        }),
      })
      .nullable()
      .openapi({
        description: "Cost of one evaluation; null without a formula, and if it reads what is hidden from the caller.",
      }),
    dependents: z.object({
      columns: z
        .array(
          z.object({
            table: z.string(),
            column: z.string(),
            label: z.string(),
            kind: z.enum(["formula", "trigger", "display", "style", "summary"]).openapi({
              description:
                "`trigger`: its trigger formula runs when the cell changes. `display`: a reference that shows the cell. `style`: a conditional style. `summary`: a summary table that groups by the cell.",
            }),
            cells: z.int().nullable().openapi({ description: "Number of dependent cells; null if not counted." }),
          }),
        )
        .openapi({ description: "Columns that depend directly on the cell." }),
      rules: z
        .array(
          z.object({
            kind: z.enum(["rule", "userAttribute"]),
            name: z.string().openapi({ description: "Table and columns of the rule, or the name of the attribute." }),
            detail: z.string().openapi({ description: "The condition, or the column of the look-up." }),
          }),
        )
        .openapi({ description: "Access rules that read the cell; empty for callers who cannot see rules." }),
    }),
    access: z
      .object({ read: CellPermission, update: CellPermission })
      .openapi({ description: "Permissions of the caller by role and access rules." }),
  })
  .openapi("CellExplanation");
export type CellExplanation = z.infer<typeof CellExplanation>;

import { z } from "@hono/zod-openapi";

/** How long formulas take. */

const seconds = (description: string) => z.number().openapi({ description, example: 0.0021 });

const ColumnTiming = z
  .object({
    tableId: z.string(),
    colId: z.string(),
    sum: seconds("Seconds that its formulas took, without what they waited for in other columns."),
    count: z.int().openapi({ description: "How many cells were computed." }),
    average: seconds("Seconds a cell."),
    max: seconds("Seconds of the slowest cell."),
  })
  .openapi("ColumnTiming");

export const TimingList = z.array(ColumnTiming).openapi("TimingList");

export const TimingStatus = z
  .object({
    status: z.enum(["disabled", "active"]),
    timing: TimingList.optional().openapi({ description: "With `active`: the formula columns computed since." }),
  })
  .openapi("TimingStatus");

import { z } from "../common/schema.ts";

/** Formula timing. */

const seconds = (description: string) => z.number().openapi({ description, example: 0.0021 });

const ColumnTiming = z
  .object({
    tableId: z.string(),
    colId: z.string(),
    sum: seconds("Total time in seconds, excluding the evaluation of other columns."),
    count: z.int().openapi({ description: "Number of evaluated cells." }),
    average: seconds("Average time per cell, in seconds."),
    max: seconds("Time of the slowest cell, in seconds."),
  })
  .openapi("ColumnTiming");

export const TimingList = z.array(ColumnTiming).openapi("TimingList");

export const TimingStatus = z
  .object({
    status: z.enum(["disabled", "active"]),
    timing: TimingList.optional().openapi({
      description: "With `active`: the formula columns evaluated since the start.",
    }),
  })
  .openapi("TimingStatus");

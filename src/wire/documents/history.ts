import { z } from "@hono/zod-openapi";
import { CellValue } from "../tables/cells.ts";
import { nullableUnion } from "../common/fields.ts";
import { DocParams } from "../common/params.ts";
import { flag } from "../common/query.ts";

/** Bodies, queries and answers about the history of documents. */

export const State = z
  .object({
    n: z.int().openapi({ description: "The number of the state; each change makes the next one.", example: 7 }),
    h: z.string().openapi({ description: "Its hash: equal in two documents only if both have the same past." }),
  })
  .openapi("State");

export const States = z.object({ states: z.array(State).openapi({ description: "Newest first." }) }).openapi("States");

export const StateParams = DocParams.extend({
  state: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a number")
    .transform(Number)
    .openapi({ type: "integer", description: "The number of a state.", example: 7 } as never),
});

const columnNames = z.array(z.string());

export const History = z
  .object({
    states: z
      .array(
        State.extend({
          time: z.string().nullable().openapi({ description: "When, in UTC; null where the file does not say." }),
          user: z
            .object({ id: z.int().nullable(), email: z.string(), name: z.string().nullable() })
            .nullable()
            .openapi({ description: "Who made the change; for owners and editors." }),
          note: z.string().nullable().openapi({ description: "What was said about the change, such as a restoring." }),
          isRead: z.boolean().openapi({
            description: "False where the change is too large to be looked into: nothing is said about tables then.",
          }),
          tables: z.array(
            z.object({
              table: z.string().openapi({ description: "As it is called in this state; when it is gone, before." }),
              renamedFrom: z.string().optional(),
              isNew: z.literal(true).optional(),
              isGone: z.literal(true).optional(),
              added: z.int().openapi({ description: "How many rows." }),
              updated: z.int(),
              removed: z.int(),
              isReplaced: z
                .literal(true)
                .optional()
                .openapi({ description: "All rows were put in the place of others." }),
              columns: z.object({
                added: columnNames,
                removed: columnNames,
                renamed: z.array(z.tuple([z.string(), z.string()])),
                modified: columnNames.openapi({ description: "Of another type or formula." }),
                changes: z
                  .array(
                    z.object({
                      column: z.string(),
                      cells: z.int().openapi({ description: "How many cells changed." }),
                      type: z.string().optional().openapi({ description: "The new type.", example: "Date" }),
                      formula: z.string().optional().openapi({
                        description: "The new formula; empty where the column became a data column.",
                      }),
                    }),
                  )
                  .openapi({ description: "Columns that existed before whose cells, type or formula changed." }),
              }),
            }),
          ),
        }),
      )
      .openapi({ description: "Newest first." }),
    before: z.int().nullable().openapi({ description: "Where the next page begins; null at the end." }),
  })
  .openapi("History");
export type History = z.infer<typeof History>;

const pageNumber = (max: number, description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a number from 1 on")
    .transform(Number)
    .refine((value) => value <= max, `must be ${max} at most`)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: max, description } as never);

export const HistoryQuery = z.object({
  before: pageNumber(Number.MAX_SAFE_INTEGER, "Only states before this one."),
  limit: pageNumber(100, "How many; 50 without it. There may be fewer where they are large."),
});

export const RemoveStatesBody = z
  .object({
    keep: z
      .int()
      .min(0)
      .openapi({ description: "How many of the newest states are kept; with 0, the newest.", example: 1 }),
  })
  .openapi("RemoveStates");
export type RemoveStatesBody = z.infer<typeof RemoveStatesBody>;

const state = z.string().max(1000).optional().openapi({
  description:
    "HEAD (the newest state, and what holds without it) or the hash of a state; ~2 behind it goes back two, ~ or ^ one.",
  example: "HEAD~1",
});
const maxRows = z
  .string()
  .regex(/^([1-9]\d{0,8})?$/, "must be a number from 1 on")
  .optional()
  .transform((text) => (text === undefined || text === "" ? undefined : Number(text)))
  .openapi({
    type: "integer",
    minimum: 1,
    maximum: 999_999_999,
    description: "Of a change of more rows at once, the cells of only so many are told: the first ones and the last.",
    example: 10,
  } as never);

export const CompareQuery = z.object({ left: state, right: state, maxRows });

export const CompareDocumentsQuery = z.object({
  detail: flag("Tells also what happened in each document since they parted."),
  maxRows,
});

const rename = z.tuple([z.string().nullable(), z.string().nullable()]).openapi({
  description: "Name before and after; null where it was not there.",
  example: ["People", "Staff"],
});
const side = z.array(CellValue).length(1).nullable();

export const Changes = z
  .object({
    tableRenames: z.array(rename),
    tableDeltas: z.record(
      z.string().openapi({ description: "The table's id at the end; `-` and its former id when it is gone." }),
      z.object({
        updateRows: z.array(z.int()),
        removeRows: z.array(z.int()),
        addRows: z.array(z.int()),
        columnDeltas: z.record(z.string(), z.record(z.string(), z.tuple([side, side]))).openapi({
          description: "By column and row: the cell before and after, each in a list; null where there is none.",
          example: { Age: { "1": [[41], [42]] } },
        }),
        columnRenames: z.array(rename),
        mayBeIncomplete: z.boolean().optional().openapi({ description: "Cells were left out because of maxRows." }),
      }),
    ),
  })
  .openapi("Changes");
export type Changes = z.infer<typeof Changes>;

const details = z.object({
  leftChanges: Changes.openapi({ description: "From the parent to the left state." }),
  rightChanges: Changes.openapi({ description: "From the parent to the right state." }),
});

export const Comparison = z
  .object({ left: State, right: State, parent: State, summary: z.enum(["same", "right"]), details })
  .openapi("Comparison");

export const DocumentComparison = z
  .object({
    left: State,
    right: State,
    parent: nullableUnion(State).openapi({ description: "The newest state both were in; null when there is none." }),
    summary: z
      .enum(["same", "left", "right", "both", "unrelated"])
      .openapi({ description: "Which of the two changed." }),
    details: details.optional(),
  })
  .openapi("DocumentComparison");

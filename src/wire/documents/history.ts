import { z } from "../common/schema.ts";
import { CellValue } from "../tables/cells.ts";
import { nullableUnion } from "../common/fields.ts";
import { DocParams } from "../common/params.ts";
import { flag } from "../common/query.ts";

/** Requests and responses of the document history. */

export const State = z
  .object({
    n: z.int().openapi({ description: "The number of the state; increases by one with each change.", example: 7 }),
    h: z.string().openapi({
      description: "Hash of the state. Two documents have an equal hash only if they share the history up to it.",
    }),
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
          time: z.string().nullable().openapi({ description: "Time of the change, UTC; null if unknown." }),
          user: z
            .object({ id: z.int().nullable(), email: z.string(), name: z.string().nullable() })
            .nullable()
            .openapi({ description: "The user who made the change. Visible to owners and editors." }),
          key: z.object({ id: z.int(), label: z.string().nullable() }).nullable().openapi({
            description: "The API key that made the change. Visible to owners, with the label for keys of their own.",
          }),
          note: z.string().nullable().openapi({ description: "The description of the change, such as a restore." }),
          isRead: z.boolean().openapi({
            description: "False if the change is too large to be analysed; `tables` is then empty.",
          }),
          tables: z.array(
            z.object({
              table: z
                .string()
                .openapi({ description: "The table's id in this state; for deleted tables, the id before." }),
              renamedFrom: z.string().optional(),
              isNew: z.literal(true).optional(),
              isGone: z.literal(true).optional(),
              added: z.int().openapi({ description: "Number of rows." }),
              updated: z.int(),
              removed: z.int(),
              isReplaced: z.literal(true).optional().openapi({ description: "True if all rows were replaced." }),
              columns: z.object({
                added: columnNames,
                removed: columnNames,
                renamed: z.array(z.tuple([z.string(), z.string()])),
                modified: columnNames.openapi({ description: "Columns whose type or formula changed." }),
                changes: z
                  .array(
                    z.object({
                      column: z.string(),
                      cells: z.int().openapi({ description: "Number of changed cells." }),
                      type: z.string().optional().openapi({ description: "The new type.", example: "Date" }),
                      formula: z.string().optional().openapi({
                        description: "The new formula; empty if the column became a data column.",
                      }),
                    }),
                  )
                  .openapi({ description: "Existing columns whose cells, type or formula changed." }),
              }),
            }),
          ),
        }),
      )
      .openapi({ description: "Newest first." }),
    before: z.int().nullable().openapi({ description: "Cursor of the next page; null on the last page." }),
    table: z.string().nullable().openapi({
      description:
        "With `table`: the table's id in the states of the next page, which may be a former one. Otherwise null.",
    }),
  })
  .openapi("History");
export type History = z.infer<typeof History>;

const pageNumber = (max: number, description: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, "must be a positive integer")
    .transform(Number)
    .refine((value) => value <= max, `must be at most ${max}`)
    .optional()
    .openapi({ type: "integer", minimum: 1, maximum: max, description } as never);

export const HistoryQuery = z.object({
  before: pageNumber(Number.MAX_SAFE_INTEGER, "Return only states before this one."),
  limit: pageNumber(100, "Maximum number of states. Default: 50. Large states can make a page smaller."),
  table: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .openapi({
      description:
        "Return only states that changed this table, its columns or rows: its present id, or on further pages `table` of the page before. " +
        "Renames are followed. A page can then have fewer states than `limit`, and none.",
      example: "Orders",
    }),
  row: pageNumber(
    Number.MAX_SAFE_INTEGER,
    "Return only states that added, changed or deleted the row of `table` with this id, or replaced all its rows. Formulas that were " +
      "calculated for very many rows at once are not found. A page can then have fewer states than `limit`, and none.",
  ),
  user: pageNumber(
    Number.MAX_SAFE_INTEGER,
    "Return only states of the user with this id. Only for owners and editors. A page can then have fewer states than `limit`, and none.",
  ),
});

const keptStates = z.int().min(1).max(1_000_000).nullable();

export const RetentionBody = z
  .object({
    states: keptStates.openapi({
      description: "Number of states to keep, at most that of the server; null for as many as the server keeps.",
      example: 200,
    }),
  })
  .openapi("HistoryRetentionInput");

export const Retention = z
  .object({
    states: keptStates.openapi({ description: "The number of states to keep; null for as many as the server keeps." }),
    serverStates: z.int().openapi({ description: "How many states the server keeps.", example: 1000 }),
    serverBytes: z.int().openapi({ description: "How large the history can become, in bytes.", example: 104_857_600 }),
  })
  .openapi("HistoryRetention");
export type Retention = z.infer<typeof Retention>;

export const RemoveStatesBody = z
  .object({
    keep: z
      .int()
      .min(0)
      .openapi({ description: "Number of the newest states to keep; 0 keeps only the newest.", example: 1 }),
  })
  .openapi("RemoveStates");
export type RemoveStatesBody = z.infer<typeof RemoveStatesBody>;

const state = z.string().max(1000).optional().openapi({
  description:
    "`HEAD` (the newest state, default) or the hash of a state. A suffix goes back: `~2` by two states, `~` or `^` by one.",
  example: "HEAD~1",
});
const maxRows = z
  .string()
  .regex(/^([1-9]\d{0,8})?$/, "must be a positive integer")
  .optional()
  .transform((text) => (text === undefined || text === "" ? undefined : Number(text)))
  .openapi({
    type: "integer",
    minimum: 1,
    maximum: 999_999_999,
    description: "Maximum number of rows with cells per change: the first rows and the last one.",
    example: 10,
  } as never);

export const CompareQuery = z.object({ left: state, right: state, maxRows });

export const CompareDocumentsQuery = z.object({
  detail: flag("Include the changes of each document since their common state. Default: false."),
  maxRows,
});

const rename = z.tuple([z.string().nullable(), z.string().nullable()]).openapi({
  description: "Name before and after; null if the table or column did not exist.",
  example: ["People", "Staff"],
});
const side = z.array(CellValue).length(1).nullable();

export const Changes = z
  .object({
    tableRenames: z.array(rename),
    tableDeltas: z.record(
      z
        .string()
        .openapi({ description: "The table's id in the later state; for deleted tables, `-` and the former id." }),
      z.object({
        updateRows: z.array(z.int()),
        removeRows: z.array(z.int()),
        addRows: z.array(z.int()),
        columnDeltas: z.record(z.string(), z.record(z.string(), z.tuple([side, side]))).openapi({
          description:
            "By column and row: a list with the cell before and one with the cell after; null if the cell did not exist.",
          example: { Age: { "1": [[41], [42]] } },
        }),
        columnRenames: z.array(rename),
        mayBeIncomplete: z
          .boolean()
          .optional()
          .openapi({ description: "True if cells are omitted because of `maxRows`." }),
      }),
    ),
  })
  .openapi("Changes");
export type Changes = z.infer<typeof Changes>;

const details = z.object({
  leftChanges: Changes.openapi({ description: "Changes from the parent to the left state." }),
  rightChanges: Changes.openapi({ description: "Changes from the parent to the right state." }),
});

export const Comparison = z
  .object({ left: State, right: State, parent: State, summary: z.enum(["same", "right"]), details })
  .openapi("Comparison");

export const DocumentComparison = z
  .object({
    left: State,
    right: State,
    parent: nullableUnion(State).openapi({ description: "The newest common state; null if there is none." }),
    summary: z
      .enum(["same", "left", "right", "both", "unrelated"])
      .openapi({ description: "Which of the two states has changes since the parent." }),
    details: details.optional(),
  })
  .openapi("DocumentComparison");

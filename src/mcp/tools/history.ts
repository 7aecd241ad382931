/** Tools about changes: who made them, undoing one's own, and explaining cells. */
import { z } from "zod";
import { ApiRefusal, queryOf } from "../api.ts";
import { inDocument, inTable } from "../resolve.ts";
import { cutList, cutTexts } from "../results.ts";
import { DESTRUCTIVE, READ_ONLY, tool, ToolRefusal } from "../tool.ts";
import * as common from "./arguments.ts";

interface HistoryPage {
  readonly states: readonly HistoryState[];
  readonly before: number | null;
}

interface HistoryState {
  readonly n: number;
  readonly time: string | null;
  readonly user: { readonly email: string; readonly name: string | null } | null;
  readonly key: { readonly id: number; readonly label: string | null } | null;
  readonly note: string | null;
  readonly tables: readonly unknown[];
}

export const listHistory = tool({
  name: "list_history",
  title: "List changes",
  description: "Lists the changes of a document, newest first: when, by which user and key, and in which tables.",
  scopes: ["history:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    limit: z.int().min(1).max(100).default(20),
    before: z.int().min(1).optional().describe("next of the page before"),
  }),
  output: z.object({
    changes: common.objects("state (its number), time, user, key, note, tables"),
    next: z.int().nullable().describe("before of the next page; null on the last one"),
  }),
  example: { document: "Stock", limit: 5 },
  run: (api, { document, limit, before }) =>
    inDocument(api, document, async (path) => {
      const page = await api.get<HistoryPage>(`${path}/history${queryOf({ limit, before })}`);
      const changes = page.states.map(({ n, time, user, key, note, tables }) => ({
        state: n,
        time,
        user,
        key,
        note,
        tables,
      }));
      const { items, isCut } = cutList(cutTexts(changes, 500));
      return { changes: items, next: isCut ? (items.at(-1)?.state ?? null) : page.before };
    }),
});

interface UndoneChanges {
  readonly planId: string;
  readonly isApplied: boolean;
  readonly state: number | null;
  readonly counts: Readonly<Record<"cells" | "removedRows" | "restoredRows" | "conflicts", number>>;
  readonly cells: readonly Record<string, unknown>[];
  readonly removedRows: readonly Record<string, unknown>[];
  readonly restoredRows: readonly Record<string, unknown>[];
  readonly conflicts: readonly Record<string, unknown>[];
}

const PLAN_NEXT = "Show the plan to the user, and call again with the same since and planId to apply it.";
const NOTHING_NEXT = "There is nothing to undo.";
const CONFLICT_NEXT = "Changes in conflicts are left alone, each for its reason; tell the user about them.";

/** Items of each list in a result; the numbers are complete. */
const MAX_UNDONE = 30;

export const undoMyChanges = tool({
  name: "undo_my_changes",
  title: "Undo my changes",
  description:
    "Reverts what this key has changed in a document since a state or time, except what others have changed or used since. Without planId it returns a plan and changes nothing; call again with its planId to apply it.",
  scopes: ["records:write"],
  annotations: DESTRUCTIVE,
  input: z.strictObject({
    document: common.document,
    since: z
      .union([z.int().min(0), z.string().min(1).max(40)])
      .describe("Number of the last state to keep, or ISO time"),
    planId: z.string().min(1).max(100).optional(),
  }),
  output: z.object({
    planId: z.string(),
    isApplied: z.boolean(),
    state: z.int().nullable().describe("Number of the new state"),
    counts: z.looseObject({}).describe("cells, removedRows, restoredRows, conflicts"),
    cells: common.objects("table, row, column, from, to"),
    removedRows: common.objects("Added by this key: table, row"),
    restoredRows: common.objects("Deleted by this key: table, row, fields"),
    conflicts: common.objects("Left alone: table, row, column, reason"),
    next: z.string(),
  }),
  example: { document: "Stock", since: "2100-01-01T00:00:00Z" },
  run: (api, { document, ...body }) =>
    inDocument(api, document, async (path) => {
      try {
        return describeUndo(await api.send<UndoneChanges>("POST", `${path}/undo-changes`, body));
      } catch (error) {
        if (!(error instanceof ApiRefusal) || error.code !== "undo.plan_changed") throw error;
        throw new ToolRefusal(error.code, error.message, {
          next: "Show details.plan to the user, and call again with its planId to apply it.",
          details: { plan: describeUndo(error.details["plan"] as UndoneChanges) },
        });
      }
    }),
});

function describeUndo(undone: UndoneChanges) {
  const { planId, isApplied, state, counts } = undone;
  const short = <T>(items: readonly T[]) => cutTexts(cutList(items.slice(0, MAX_UNDONE), 10_000).items, 500);
  return {
    planId,
    isApplied,
    state,
    counts,
    cells: short(undone.cells),
    removedRows: short(undone.removedRows),
    restoredRows: short(undone.restoredRows),
    conflicts: short(undone.conflicts),
    next: nextOf(undone),
  };
}

function nextOf({ isApplied, counts }: UndoneChanges): string {
  const isEmpty = counts.cells + counts.removedRows + counts.restoredRows === 0;
  const sentences = [
    ...(isEmpty && !isApplied ? [NOTHING_NEXT] : []),
    ...(!isEmpty && !isApplied ? [PLAN_NEXT] : []),
    ...(isApplied ? ["Applied."] : []),
    ...(counts.conflicts > 0 ? [CONFLICT_NEXT] : []),
  ];
  return sentences.join(" ");
}

export const explainCell = tool({
  name: "explain_cell",
  title: "Explain a cell",
  description:
    "Says why a cell has its value or error: its formula, the cells and look-ups that it reads, what depends on it, and whether the key's user may change it.",
  scopes: ["records:read", "schema:read"],
  annotations: READ_ONLY,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    row: z.int().min(1),
    column: z.string().min(1).max(1000),
  }),
  output: z.looseObject({
    cell: z.looseObject({}).describe("value and text"),
    kind: z.string(),
    formula: z.string().nullable(),
    error: z.looseObject({}).nullable().describe("type, message, remedy, line, origin"),
    reads: z.looseObject({}).describe("cells, lookups"),
    dependents: z.looseObject({}),
    access: z.looseObject({}),
  }),
  example: { document: "Stock", table: "Orders", row: 1, column: "Double" },
  run: (api, { document, table, row, column }) =>
    inTable(api, { document, table }, async (paths) => {
      const cell = `${paths.document}/cells/${encodeURIComponent(table)}/${row}/${encodeURIComponent(column)}`;
      const explained = await api.get<Explanation>(`${cell}/why${queryOf({ limit: MAX_READS })}`);
      return cutTexts(explained, 1000);
    }),
});

interface Explanation {
  readonly [member: string]: unknown;
  readonly cell: Record<string, unknown>;
  readonly kind: string;
  readonly formula: string | null;
  readonly error: Record<string, unknown> | null;
  readonly reads: Record<string, unknown>;
  readonly dependents: Record<string, unknown>;
  readonly access: Record<string, unknown>;
}

/** Cells and look-ups in an explanation. */
const MAX_READS = 30;

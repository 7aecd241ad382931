/** Tools that change tables and columns, and write formulas. */
import { z } from "zod";
import type { Api } from "../api.ts";
import { inDocument, inTable } from "../resolve.ts";
import { cutTexts } from "../results.ts";
import { DESTRUCTIVE, OVERWRITES, tool, ToolRefusal } from "../tool.ts";
import * as common from "./arguments.ts";
import { type DryRunReport, shortenReport, wouldChange } from "./dry-run.ts";

const column = z.strictObject({
  id: z.string().min(1).max(1000),
  newId: z.string().min(1).max(1000).optional(),
  label: z.string().max(1000).optional(),
  type: z
    .string()
    .max(1000)
    .optional()
    .describe("Text, Int, Numeric, Bool, Date, DateTime:zone, Choice, ChoiceList, Ref:Table, RefList:Table, Any"),
  choices: z.array(z.string().max(1000)).max(1000).optional(),
  description: z.string().max(10_000).optional(),
});
type Column = z.infer<typeof column>;

const ACTIONS = [
  "add_table",
  "rename_table",
  "delete_table",
  "add_columns",
  "modify_columns",
  "delete_column",
] as const;

interface ChangeRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export const changeSchema = tool({
  name: "change_schema",
  title: "Change tables and columns",
  description:
    "Adds, renames or deletes a table, or adds, modifies (also renames) or deletes columns. Formulas follow renames. Use dryRun first; for formulas use write_formula.",
  scopes: ["schema:write"],
  annotations: DESTRUCTIVE,
  input: z.strictObject({
    document: common.document,
    action: z.enum(ACTIONS),
    table: common.table,
    newTable: z.string().min(1).max(200).optional().describe("For rename_table"),
    columns: z.array(column).min(1).max(200).optional(),
    dryRun: common.dryRun,
  }),
  output: z.object({
    table: z.string().optional().describe("Id of the table, which can differ from the proposed one"),
    columns: z.array(z.string()).optional().describe("Ids of added columns"),
    wouldChange,
  }),
  example: { document: "Stock", action: "add_columns", table: "Orders", columns: [{ id: "Paid", type: "Bool" }] },
  async run(api, { document, table, dryRun = false, ...change }) {
    const send = async (path: string) => {
      const requests = await requestOf(api, { path, table, ...change });
      return api.send<unknown>(requests.method, `${requests.path}${dryRun ? "?dryrun=1" : ""}`, requests.body);
    };
    const answer =
      change.action === "add_table"
        ? await inDocument(api, document, send)
        : await inTable(api, { document, table }, (paths) => send(paths.document));
    if (dryRun) return { wouldChange: shortenReport(answer as DryRunReport) };
    return changedIds(answer, { table, ...change });
  },
});

type Change = Pick<z.infer<typeof changeInput>, "action" | "newTable" | "columns">;
const changeInput = z.object({
  action: z.enum(ACTIONS),
  newTable: z.string().optional(),
  columns: z.array(column).optional(),
});

async function requestOf(
  api: Api,
  { path, table, action, newTable, columns }: Change & { path: string; table: string },
): Promise<ChangeRequest> {
  const tables = `${path}/tables`;
  const own = `${tables}/${encodeURIComponent(table)}`;
  switch (action) {
    case "add_table":
      return {
        method: "POST",
        path: tables,
        body: { tables: [{ id: table, columns: need(columns, "columns").map(newColumn) }] },
      };
    case "rename_table":
      return {
        method: "PATCH",
        path: tables,
        body: { tables: [{ id: table, fields: { tableId: need(newTable, "newTable") } }] },
      };
    case "delete_table":
      return { method: "DELETE", path: own };
    case "add_columns":
      return { method: "POST", path: `${own}/columns`, body: { columns: need(columns, "columns").map(newColumn) } };
    case "modify_columns": {
      const options = await optionsOf(api, `${own}/columns`, need(columns, "columns"));
      const changes = need(columns, "columns").map((each) => modifiedColumn(each, options.get(each.id)));
      return { method: "PATCH", path: `${own}/columns`, body: { columns: changes } };
    }
    case "delete_column": {
      const [only, ...others] = need(columns, "columns");
      if (!only || others.length > 0) throw missing("exactly one column");
      return { method: "DELETE", path: `${own}/columns/${encodeURIComponent(only.id)}` };
    }
    default:
      return action satisfies never;
  }
}

function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw missing(name);
  return value;
}

const missing = (name: string): ToolRefusal =>
  new ToolRefusal("arguments.invalid", `This action needs ${name}`, { next: "Add it, and call the tool again." });

const newColumn = (each: Column) => {
  if (each.newId !== undefined)
    throw new ToolRefusal("arguments.invalid", "newId is for modify_columns", { next: "Pass the id as id." });
  return { id: each.id, fields: fieldsOf(each, undefined) };
};

const modifiedColumn = (each: Column, options: string | undefined) => ({
  id: each.id,
  fields: { ...(each.newId !== undefined && { colId: each.newId }), ...fieldsOf(each, options) },
});

const fieldsOf = ({ label, type, choices, description }: Column, options: string | undefined) => ({
  ...(label !== undefined && { label }),
  ...(type !== undefined && { type }),
  ...(description !== undefined && { description }),
  ...(choices && { widgetOptions: JSON.stringify({ ...parsedOptions(options), choices }) }),
});

/** Returns the options of columns whose choices change: they contain formats and colours as well, which stay. */
async function optionsOf(api: Api, path: string, columns: readonly Column[]): Promise<ReadonlyMap<string, string>> {
  if (columns.every(({ choices }) => choices === undefined)) return new Map();
  const listed = await api.get<{ columns: { id: string; fields: { widgetOptions: string } }[] }>(path);
  return new Map(listed.columns.map(({ id, fields }) => [id, fields.widgetOptions]));
}

function parsedOptions(text: string | undefined): object {
  try {
    return Object(JSON.parse(text ?? "")) as object;
  } catch {
    return {};
  }
}

function changedIds(answer: unknown, { table, action, newTable }: Change & { table: string }) {
  const { tables, columns } = (answer ?? {}) as { tables?: { id: string }[]; columns?: { id: string }[] };
  if (action === "add_table") return { table: tables?.[0]?.id ?? table };
  if (action === "rename_table") return { table: newTable ?? table };
  return { table, ...(columns && { columns: columns.map(({ id }) => id) }) };
}

/** Rows whose results are shown. */
const MAX_SAMPLES = 5;

type Sample = { readonly row: number; readonly value: unknown };

export const writeFormula = tool({
  name: "write_formula",
  title: "Write a formula",
  description:
    "Tries a formula on all rows, and returns results and errors without changing anything; with apply, stores it if no row has an error. Formulas are Python: $Column, $Ref.Column, Table.lookupRecords(Column=$Id), SUM(...). Creates the column if it does not exist.",
  scopes: ["schema:write", "records:read"],
  annotations: OVERWRITES,
  input: z.strictObject({
    document: common.document,
    table: common.table,
    column: z.string().min(1).max(1000).describe("Id; cells of an existing data column are replaced"),
    formula: z.string().min(1).max(50_000),
    type: z.string().max(1000).optional().describe("Type of the column; default: unchanged, or Any"),
    apply: z.boolean().default(false),
    allowErrors: z.boolean().default(false).describe("Store it even if rows have errors"),
  }),
  output: z.object({
    isApplied: z.boolean(),
    column: z.string(),
    samples: common.objects('row and value; errors are ["E", type]'),
    errors: common.objects("type and rows: number of rows with this error"),
    next: z.string(),
  }),
  example: { document: "Stock", table: "Orders", column: "Double", formula: "$Qty + $Qty" },
  run: (api, { document, table, column: id, formula, type, apply, allowErrors }) =>
    inTable(api, { document, table }, async (paths) => {
      const isNew = !(await hasColumn(api, `${paths.table}/columns`, id));
      const fields = { isFormula: true, formula, ...(type !== undefined && { type }) };
      const store = (query: string) =>
        api.send<unknown>(isNew ? "POST" : "PATCH", `${paths.table}/columns${query}`, { columns: [{ id, fields }] });
      const report = (await store("?dryrun=1")) as DryRunReport;
      const results = resultsOf(report, { table, column: id });
      const errors = countErrors(results);
      const samples = cutTexts(results.slice(0, MAX_SAMPLES), 500);
      if (!apply) {
        const next =
          errors.length > 0 ? "Correct the formula, and try again." : "Call again with apply to store the formula.";
        return { isApplied: false, column: id, samples, errors, next };
      }
      if (errors.length > 0 && !allowErrors) {
        throw new ToolRefusal("formula.errors", "The formula has errors in some rows; nothing was changed", {
          next: "Correct the formula, or pass allowErrors if these errors are intended.",
          details: {
            errors,
            samples: cutTexts(results.filter(({ value }) => isError(value)).slice(0, MAX_SAMPLES), 500),
          },
        });
      }
      const stored = (await store("")) as { columns?: { id: string }[] } | null;
      const storedId = stored?.columns?.[0]?.id ?? id;
      return { isApplied: true, column: storedId, samples, errors, next: "Call query_records to see all results." };
    }),
});

async function hasColumn(api: Api, path: string, id: string): Promise<boolean> {
  const { columns } = await api.get<{ columns: { id: string }[] }>(path);
  return columns.some((each) => each.id === id);
}

function resultsOf({ tables }: DryRunReport, { table, column: id }: { table: string; column: string }): Sample[] {
  const changed = tables.find((each) => each.table === table)?.changed ?? [];
  return changed.flatMap(({ id: row, after }) => (id in after ? [{ row, value: after[id] }] : []));
}

const isError = (value: unknown): value is readonly [code: "E", type: string] =>
  Array.isArray(value) && value[0] === "E";

function countErrors(results: readonly Sample[]): { type: string; rows: number }[] {
  const counts = new Map<string, number>();
  for (const { value } of results) if (isError(value)) counts.set(value[1], (counts.get(value[1]) ?? 0) + 1);
  return [...counts].map(([type, rows]) => ({ type, rows }));
}

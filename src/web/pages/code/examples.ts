/** Examples of API calls for a table, with its own columns and values of their types. */
import type { ColumnListing } from "../../base/table-data.ts";
import type { PlainTexts } from "../../texts/texts.ts";

export interface Example {
  /** The id of its section in the page. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  /** The path after `/api/docs/{docId}`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as NDJSON, one per line. */
  readonly lines?: readonly unknown[];
  /** Headers beyond those of the key and the body. */
  readonly headers?: Readonly<Record<string, string>>;
  /** File name of the response, where it is a file. */
  readonly file?: string;
  /** The minimum role. */
  readonly requiredRole: "viewers" | "editors" | "owners";
}

export interface ExampleGroup {
  readonly id: string;
  readonly title: string;
  readonly examples: readonly Example[];
}

/** Number of columns in an example. */
const MAX_EXAMPLE_COLUMNS = 4;

export interface ExampleTable {
  readonly id: string;
  readonly columns: readonly ColumnListing[];
}

/**
 * Returns the examples for a table.
 * @param now a time at which the table existed; milliseconds since the epoch
 */
export function createExamples(t: PlainTexts, { id: table, columns }: ExampleTable, now: number): ExampleGroup[] {
  return [
    {
      id: "reading",
      title: t("code.reading"),
      examples: [...readingExamples(t, table, columns), pastExample(t, table, now)],
    },
    { id: "writing", title: t("code.writing"), examples: writingExamples(t, table, columns) },
    { id: "webhooks", title: t("code.webhooks"), examples: webhookExamples(t, table) },
    { id: "end-users", title: t("code.endUsers"), examples: [tokenExample(t)] },
  ];
}

function readingExamples(t: PlainTexts, table: string, columns: readonly ColumnListing[]): Example[] {
  const path = tablePath(table);
  const first = columns.find(({ fields }) => isWritable(fields));
  const shown = columns.slice(0, 2).map(({ id }) => id);
  const reference = columns.find(({ fields }) => fields.type.startsWith("Ref:"));
  const number = columns.find(({ fields }) => fields.type === "Numeric" || fields.type === "Int");
  const group = columns.find(({ fields }) => fields.type === "Choice") ?? first;
  const read = { method: "GET", requiredRole: "viewers" } as const;
  return [
    {
      ...read,
      id: "list",
      title: t("code.list"),
      about: first ? t("code.list.about", { column: first.id }) : t("code.list.aboutPosition"),
      path: `${path}/records${query({ limit: "10", ...(first && { sort: first.id }) })}`,
    },
    {
      ...read,
      id: "one",
      title: t("code.one"),
      about: t("code.one.about"),
      path: `${path}/records/1`,
    },
    {
      ...read,
      id: "filter",
      title: t("code.filter"),
      about: t("code.filter.about"),
      path: `${path}/records${query({ filter: JSON.stringify({ [first?.id ?? "id"]: { empty: false } }) })}`,
    },
    {
      ...read,
      id: "fields",
      title: t("code.fields"),
      about: reference ? t("code.fields.aboutExpand", { column: reference.id }) : t("code.fields.about"),
      path: `${path}/records${query({
        ...(shown.length > 0 && { fields: [...new Set([...shown, ...(reference ? [reference.id] : [])])].join(",") }),
        ...(reference && { expand: reference.id }),
        cellFormat: "display",
      })}`,
    },
    {
      ...read,
      id: "cursor",
      title: t("code.pages"),
      about: t("code.pages.about"),
      path: `${path}/records${query({ limit: "100", cursor: "start" })}`,
    },
    {
      id: "aggregate",
      title: t("code.aggregate"),
      about: group ? t("code.aggregate.about", { column: group.id }) : t("code.aggregate.aboutAll"),
      method: "POST",
      path: `${path}/aggregate`,
      body: {
        ...(group && { groupBy: [group.id] }),
        measures: { records: "count", ...(number && { total: { sum: number.id } }) },
        ...(group && { sort: ["-records"] }),
      },
      requiredRole: "viewers",
    },
    {
      ...read,
      id: "search",
      title: t("code.search"),
      about: t("code.search.about"),
      path: `/search${query({ q: "some text", limit: "10" })}`,
    },
    {
      id: "sql",
      title: t("code.sql"),
      about: t("code.sql.about"),
      method: "POST",
      path: "/sql",
      body: { sql: `select * from ${sqlQuoted(table)} where id > ? limit 10`, args: [0] },
      requiredRole: "viewers",
    },
    {
      ...read,
      id: "csv",
      title: t("code.csv"),
      about: t("code.csv.about"),
      path: `/download/csv${query({ tableId: table })}`,
      file: `${table}.csv`,
    },
  ];
}

const pastExample = (t: PlainTexts, table: string, now: number): Example => ({
  id: "past",
  title: t("code.past"),
  about: t("code.past.about"),
  method: "GET",
  path: `${tablePath(table)}/records${query({ at: new Date(now).toISOString(), limit: "10" })}`,
  requiredRole: "owners",
});

function writingExamples(t: PlainTexts, table: string, columns: readonly ColumnListing[]): Example[] {
  const path = tablePath(table);
  const writableColumns = columns.filter(({ fields }) => isWritable(fields)).slice(0, MAX_EXAMPLE_COLUMNS);
  const values = Object.fromEntries(writableColumns.map(({ id, fields }) => [id, sampleValue(fields)]));
  const [first = "", ...others] = Object.keys(values);
  const changed = pick(values, others.length > 0 ? others.slice(0, 2) : [first]);
  const upsert = first ? { require: pick(values, [first]), fields: pick(values, others) } : { require: { id: 1 } };
  const matching = { [first || "id"]: { [first ? "empty" : "in"]: first ? true : [1] } };
  const write = { requiredRole: "editors" } as const;
  return [
    {
      ...write,
      id: "add",
      title: t("code.add"),
      about: t("code.add.about"),
      method: "POST",
      path: `${path}/records`,
      body: { records: [{ fields: values }] },
    },
    {
      ...write,
      id: "lines",
      title: t("code.lines"),
      about: t("code.lines.about"),
      method: "POST",
      path: `${path}/records`,
      lines: [values, changed],
    },
    {
      ...write,
      id: "update",
      title: t("code.update"),
      about: t("code.update.about"),
      method: "PATCH",
      path: `${path}/records`,
      body: { records: [{ id: 1, fields: changed }] },
    },
    {
      ...write,
      id: "update-matching",
      title: t("code.updateMatching"),
      about: t("code.updateMatching.about"),
      method: "PATCH",
      path: `${path}/records${query({ filter: JSON.stringify(matching), maxRows: "100" })}`,
      body: { fields: changed },
    },
    {
      ...write,
      id: "upsert",
      title: t("code.upsert"),
      about: t("code.upsert.about"),
      method: "PUT",
      path: `${path}/records`,
      body: { records: [upsert] },
    },
    {
      ...write,
      id: "batch",
      title: t("code.batch"),
      about: t("code.batch.about"),
      method: "POST",
      path: "/batch",
      body: {
        operations: [
          { op: "add", as: "new", table, records: [{ fields: values }] },
          { op: "update", table, records: [{ id: { $ref: "new.ids.0" }, fields: changed }] },
        ],
      },
    },
    {
      ...write,
      id: "dry-run",
      title: t("code.dryRun"),
      about: t("code.dryRun.about"),
      method: "POST",
      path: `${path}/records${query({ dryrun: "1" })}`,
      body: { records: [{ fields: values }] },
    },
    {
      ...write,
      id: "retry",
      title: t("code.retry"),
      about: t("code.retry.about"),
      method: "POST",
      path: `${path}/records`,
      headers: { "Idempotency-Key": "order-4711" },
      body: { records: [{ fields: values }] },
    },
    {
      ...write,
      id: "delete",
      title: t("code.delete"),
      about: t("code.delete.about"),
      method: "POST",
      path: `${path}/records/delete`,
      body: [1, 2],
    },
    {
      ...write,
      id: "delete-matching",
      title: t("code.deleteMatching"),
      about: t("code.deleteMatching.about"),
      method: "POST",
      path: `${path}/records/delete`,
      body: { filter: matching, maxRows: 100 },
    },
  ];
}

const webhookExamples = (t: PlainTexts, table: string): Example[] => [
  {
    id: "webhook",
    title: t("code.webhook"),
    about: t("code.webhook.about"),
    method: "POST",
    path: "/webhooks?secrets=true",
    body: {
      webhooks: [{ fields: { url: "https://example.com/hook", tableId: table, eventTypes: ["add", "update"] } }],
    },
    requiredRole: "owners",
  },
];

const tokenExample = (t: PlainTexts): Example => ({
  id: "token",
  title: t("code.token"),
  about: t("code.token.about"),
  method: "POST",
  path: "/tokens",
  body: { email: "ann@example.com", role: "viewers", expiresIn: 900 },
  requiredRole: "owners",
});

const tablePath = (table: string): string => `/tables/${encodeURIComponent(table)}`;

function query(parameters: Readonly<Record<string, string>>): string {
  const parts = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `?${parts.join("&")}`;
}

type Fields = ColumnListing["fields"];

/** Formula columns are computed, and attachments are uploaded separately. */
const isWritable = ({ isFormula, formula, type }: Fields): boolean =>
  !(isFormula && formula !== "") && type !== "Attachments" && type !== "ManualSortPos" && type !== "PositionNumber";

/** Returns a value that fits a column. */
function sampleValue({ type, widgetOptions }: Fields): unknown {
  const [first = "Rye", second = "Oat"] = parseChoices(widgetOptions);
  switch (type.replace(/:.*/, "")) {
    case "Numeric":
      return 12.5;
    case "Int":
      return 3;
    case "Bool":
      return true;
    case "Date":
      return "2026-03-02";
    case "DateTime":
      return "2026-03-02T09:30:00Z";
    case "Choice":
      return first;
    case "ChoiceList":
      return ["L", first, second];
    case "Ref":
      return 1;
    case "RefList":
      return ["L", 1, 2];
    default:
      return "some text";
  }
}

function parseChoices(options: string): string[] {
  try {
    const { choices } = JSON.parse(options) as { choices?: unknown };
    return Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
  } catch {
    return [];
  }
}

const pick = (values: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]]));

const sqlQuoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Examples of API calls for a table, with its own columns and values of their types. */
import type { ColumnListing } from "../../base/table-data.ts";
import type { PlainTexts } from "../../texts/texts.ts";

export interface Example {
  /** The id of its section in the page. */
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly method: "GET" | "POST" | "PATCH" | "PUT";
  /** The path after `/api/docs/{docId}`. */
  readonly path: string;
  readonly body?: unknown;
  /** File name of the response, where it is a file. */
  readonly file?: string;
  /** The minimum role. */
  readonly requiredRole: "viewers" | "editors" | "owners";
}

/** Number of columns in an example. */
const MAX_EXAMPLE_COLUMNS = 4;

/** Returns the examples for a table. */
export function createExamples(t: PlainTexts, table: string, columns: readonly ColumnListing[]): Example[] {
  const path = `/tables/${encodeURIComponent(table)}`;
  const writableColumns = columns.filter(({ fields }) => isWritable(fields)).slice(0, MAX_EXAMPLE_COLUMNS);
  const values = Object.fromEntries(writableColumns.map(({ id, fields }) => [id, sampleValue(fields)]));
  const [first = "", ...others] = Object.keys(values);
  const changed = pick(values, others.length > 0 ? others.slice(0, 2) : [first]);
  const key = pick(values, [first]);
  const upsert = { require: key, fields: pick(values, others) };
  return [
    {
      id: "list",
      title: t("code.list"),
      about: first ? t("code.list.about", { column: first }) : t("code.list.aboutPosition"),
      method: "GET",
      path: `${path}/records?limit=10${first && `&sort=${encodeURIComponent(first)}`}`,
      requiredRole: "viewers",
    },
    {
      id: "filter",
      title: t("code.filter"),
      about: t("code.filter.about"),
      method: "GET",
      path: `${path}/records?filter=${encodeURIComponent(JSON.stringify({ [first || "id"]: { empty: false } }))}`,
      requiredRole: "viewers",
    },
    {
      id: "add",
      title: t("code.add"),
      about: t("code.add.about"),
      method: "POST",
      path: `${path}/records`,
      body: { records: [{ fields: values }] },
      requiredRole: "editors",
    },
    {
      id: "update",
      title: t("code.update"),
      about: t("code.update.about"),
      method: "PATCH",
      path: `${path}/records`,
      body: { records: [{ id: 1, fields: changed }] },
      requiredRole: "editors",
    },
    {
      id: "upsert",
      title: t("code.upsert"),
      about: t("code.upsert.about"),
      method: "PUT",
      path: `${path}/records`,
      body: { records: [first ? upsert : { require: { id: 1 } }] },
      requiredRole: "editors",
    },
    {
      id: "delete",
      title: t("code.delete"),
      about: t("code.delete.about"),
      method: "POST",
      path: `${path}/data/delete`,
      body: [1, 2],
      requiredRole: "editors",
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
      id: "csv",
      title: t("code.csv"),
      about: t("code.csv.about"),
      method: "GET",
      path: `/download/csv?tableId=${encodeURIComponent(table)}`,
      file: `${table}.csv`,
      requiredRole: "viewers",
    },
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

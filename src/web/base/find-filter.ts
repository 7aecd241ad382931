/** The search in a table, as a filter of the API: texts that contain what was typed, numbers and days that equal it. */
import { columnType } from "../../values/column-type.ts";
import { type ColumnListing, type DocumentSettings, isHelperColumn } from "./table-data.ts";
import type { ViewFilter } from "./view-state.ts";

/** The API takes 100 conditions; the others are left to the filter of the view. */
const MAX_CONDITIONS = 60;

export interface FindOptions {
  readonly columns: readonly ColumnListing[];
  /** Ids of columns that are not searched. */
  readonly hidden: readonly string[];
  readonly settings: DocumentSettings;
}

/** Returns the filter of rows in which a column has the text. */
export function findFilter(text: string, { columns, hidden, settings }: FindOptions): ViewFilter {
  const conditions = columns
    .filter(({ id }) => !hidden.includes(id) && !isHelperColumn(id))
    .map((column) => columnCondition(text, column, settings))
    .filter((condition) => condition !== null)
    .slice(0, MAX_CONDITIONS);
  if (conditions.length > 1) return { or: conditions };
  // No column can have the text.
  return conditions[0] ?? { id: [] };
}

function columnCondition(text: string, { id, fields }: ColumnListing, settings: DocumentSettings): ViewFilter | null {
  const { base } = columnType(fields.type);
  switch (base) {
    case "Text":
    case "Choice":
    case "Any":
    case "Ref":
      return { [id]: { contains: text } };
    case "Numeric":
    case "Int": {
      const number = parse(text, "Numeric", settings, fields.widgetOptions);
      return number === null ? null : { [id]: { eq: number } };
    }
    case "Date":
    case "DateTime": {
      const seconds = parse(text, "Date", settings, fields.widgetOptions);
      const day = seconds === null ? Number.NaN : seconds * 1000;
      return Math.abs(day) < MAX_DAY_MS ? { [id]: { eq: new Date(day).toISOString().slice(0, 10) } } : null;
    }
    case "ChoiceList": {
      const needle = text.toLowerCase();
      const found = choicesOf(fields.widgetOptions).filter((choice) => choice.toLowerCase().includes(needle));
      return found.length > 0 ? { [id]: { hasAny: found } } : null;
    }
    default:
      return null;
  }
}

/** Years of four digits. */
const MAX_DAY_MS = Date.UTC(9999, 11, 31);

function parse(text: string, name: string, settings: DocumentSettings, widgetOptions: string): number | null {
  const type = columnType(name);
  const value = type.convert(type.parse(text, { ...settings, widgetOptions: parseOptions(widgetOptions) }));
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function parseOptions(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

function choicesOf(widgetOptions: string): string[] {
  const { choices } = parseOptions(widgetOptions);
  return Array.isArray(choices) ? choices.filter((choice) => typeof choice === "string") : [];
}

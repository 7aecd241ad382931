import { AppError } from "../../errors.ts";
import { columnType } from "../../values/column-type.ts";
import { compileFilter } from "../filters/compile-filter.ts";
import { parseFilterValue } from "../filters/parse-filter.ts";
import type { RowTest } from "../filters/row-test.ts";
import type { OpenDocument } from "../document.ts";
import { VisibilityFilter } from "../read/visibility-filter.ts";
import type { Schema, TableInfo } from "../schema.ts";

/** Settings of a webhook that `_grist_Triggers` has no columns for. */
export interface HookSettings {
  /** A filter whose paths consist of column refs, so that it follows renames; null for none. */
  readonly filter: object | null;
  /** Rows carry the kind of the event, and who made the change. */
  readonly includeEvent: boolean;
  /** Rows also carry their previous values. */
  readonly includeOld: boolean;
}

export const NO_SETTINGS: HookSettings = { filter: null, includeEvent: false, includeOld: false };

/** Represents a column that was deleted. No column has such an id. */
const DELETED = "?";

/**
 * Returns a filter in its stored form; null for none.
 * @throws AppError `invalid` when it does not fit the table
 */
export function storedFilter(document: OpenDocument, table: TableInfo, filter: object | null): object | null {
  if (filter === null || Object.keys(filter).length === 0) return null;
  compileFor(document, table, filter);
  return mapPaths(filter, (path) => refsOf(document.schema, table, path));
}

/** Returns a stored filter with the present ids of its columns. */
export const shownFilter = (schema: Schema, filter: object): Record<string, unknown> =>
  mapPaths(filter, (path) => idsOf(schema, path));

/** Returns the test of a stored filter; null when it does not fit the table any more. */
export function filterTest(document: OpenDocument, table: TableInfo, filter: object): RowTest | null {
  try {
    return compileFor(document, table, shownFilter(document.schema, filter));
  } catch (error) {
    // A column was deleted, or has another type.
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** Webhooks send whole rows: only owners create them, and access rules do not apply. */
function compileFor(document: OpenDocument, { id }: TableInfo, filter: object): RowTest {
  const visibility = new VisibilityFilter(document, { rules: null, role: "owners", readerKey: "" });
  const parsed = parseFilterValue(filter);
  if (!parsed) throw new AppError("filter.invalid", "filter must be a JSON object");
  return compileFilter(document, visibility.readTable(id), parsed).test;
}

/** Replaces the columns and paths of a filter. */
function mapPaths(filter: object, map: (path: string) => string): Record<string, unknown> {
  const entries = Object.entries(filter).map(([key, value]: [string, unknown]): [string, unknown] => {
    if ((key === "and" || key === "or") && Array.isArray(value)) {
      return [key, value.map((part: object) => mapPaths(part, map))];
    }
    if (key === "not") return [key, mapPaths(value as object, map)];
    return [map(key), value];
  });
  return Object.fromEntries(entries);
}

function refsOf(schema: Schema, table: TableInfo, path: string): string {
  let current: TableInfo | undefined = table;
  const refs = path.split(".").map((id) => {
    const column = current?.columnById.get(id);
    const target: string | undefined = column && columnType(column.type).target;
    current = target === undefined ? undefined : schema.tableById.get(target);
    // The id, or a column of a metadata table.
    return column ? `#${column.ref}` : id;
  });
  return refs.join(".");
}

const idsOf = (schema: Schema, path: string): string =>
  path
    .split(".")
    .map((step) => (step.startsWith("#") ? (schema.columnByRef.get(Number(step.slice(1)))?.id ?? DELETED) : step))
    .join(".");

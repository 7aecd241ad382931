import type { OpenDocument } from "../document.ts";
import { parseSort, type SortKey } from "../read/parse-sort.ts";
import type { ReadTable } from "../read/read-table.ts";
import type { GroupReader } from "./aggregate-plan.ts";

/**
 * Returns the sort by which the records of a group follow each other. References are sorted by the column that they show, where the
 * caller can read it, and then by the record that they refer to.
 */
export function recordSort(document: OpenDocument, table: ReadTable, group: GroupReader): string[] {
  const { column, field, period, descending } = group;
  const sign = descending ? "-" : "";
  if (field === null) return [`${sign}id`];
  if (period !== null) return [`${sign}${column}:${period}`];
  const helper = field.absent === undefined ? shownColumn(document, table, column) : null;
  return [...(helper === null ? [] : [helper]), column].map((id) => `${sign}${id}:group`);
}

/** Returns the keys of a sort. */
export const recordKeys = (document: OpenDocument, table: ReadTable, sort: readonly string[]): SortKey[] =>
  parseSort(table, sort, document.timezone);

/** Returns the column that has the values which a reference shows; null without one. */
function shownColumn({ schema }: OpenDocument, table: ReadTable, column: string): string | null {
  const info = schema.tableById.get(table.id)?.columnById.get(column);
  const base = table.fieldById.get(column)?.type.base;
  if (!info || info.displayCol === 0 || (base !== "Ref" && base !== "RefList")) return null;
  const helper = schema.columnByRef.get(info.displayCol);
  const field = helper && table.fieldById.get(helper.id);
  return field && field.absent === undefined && field.id !== column && table.fieldByRef.get(info.displayCol) === field
    ? field.id
    : null;
}

import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { allOf, type SqlCondition } from "../filters/sql-condition.ts";
import type { RowAccess, WholeRows } from "../rules/access-types.ts";
import type { ReadTable } from "./read-table.ts";
import { hasRows } from "./row-counts.ts";

/**
 * Returns the condition that exactly the visible rows satisfy, for callers to whom rules show whole rows or nothing of them;
 * null where rows have to be read to decide. Rows of which SQLite cannot decide are hidden by the condition: none exist now, but
 * an answer that is sent in parts could meet one.
 */
export function wholeRowsCondition(document: OpenDocument, table: ReadTable, access: RowAccess): SqlCondition | null {
  if (!table.isStored) return null;
  const found = access.wholeRows((id) => {
    const field = table.fieldById.get(id);
    return field?.absent === undefined ? field?.type : undefined;
  });
  if (!found) return null;
  const strays = strayCells(found);
  if (strays.some((condition) => hasRows(document, table, condition))) return null;
  return allOf([found.where, ...strays.map((sql) => ({ sql: `not ${sql}`, args: [] }))]);
}

/** Conditions of rows of which SQLite cannot decide. */
const strayCells = ({ excluded }: WholeRows): string[] =>
  [...excluded].map(([column, types]) => {
    const [first, ...others] = [...types].map((type) => `'${type}'`);
    // Comparing with one type takes a third of the time.
    return `typeof(${quote(column)}) ${others.length === 0 ? `= ${first}` : `in (${[first, ...others].join(", ")})`}`;
  });

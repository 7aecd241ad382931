import { quote } from "../../sqlite/quote.ts";
import type { OpenDocument } from "../document.ts";
import { allOf, type SqlCondition } from "../filters/sql-condition.ts";
import type { RowAccess, WholeRows } from "../rules/access-types.ts";
import type { ReadTable } from "./read-table.ts";

/** What is known of the cells of a table is valid until the next commit. */
const checkCache = new WeakMap<OpenDocument, { version: string; checks: Map<string, boolean> }>();

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
  [...excluded].map(
    ([column, types]) => `typeof(${quote(column)}) in (${[...types].map((type) => `'${type}'`).join(", ")})`,
  );

function hasRows(document: OpenDocument, { from }: ReadTable, condition: string): boolean {
  let cache = checkCache.get(document);
  if (cache?.version !== document.version) {
    cache = { version: document.version, checks: new Map() };
    checkCache.set(document, cache);
  }
  const key = `${from} ${condition}`;
  let isFound = cache.checks.get(key);
  if (isFound === undefined) {
    isFound = document.db.values(`select 1 from ${from} where ${condition} limit 1`).length > 0;
    cache.checks.set(key, isFound);
  }
  return isFound;
}

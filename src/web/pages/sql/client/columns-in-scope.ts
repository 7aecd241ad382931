import { blankLiterals } from "./blank-literals.ts";
import type { SchemaColumn, SchemaTable } from "./sql-schema.ts";

const NAMES = /[\p{L}_][\p{L}\p{N}_$]*/gu;

/** Returns the columns of the tables that a statement names, each id once; of all tables when it names none. */
export function columnsInScope(sql: string, tables: readonly SchemaTable[]): SchemaColumn[] {
  const names = new Set([...blankLiterals(sql).matchAll(NAMES)].map(([name]) => name.toLowerCase()));
  const named = tables.filter(({ id }) => names.has(id.toLowerCase()));
  const columns = new Map<string, SchemaColumn>();
  for (const table of named.length > 0 ? named : tables) {
    for (const column of table.columns) if (!columns.has(column.id)) columns.set(column.id, column);
  }
  return [...columns.values()];
}

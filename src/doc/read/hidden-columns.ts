import type { RulesFor } from "../rules/contract.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";

/** The columns of a table that are hidden from the caller in every row; the table itself is not. */
export function hiddenColumns(rules: RulesFor, table: TableInfo): ColumnInfo[] {
  const access = rules.table(table.id);
  if (access.read !== "mixed") return [];
  const isDenied = (id: string | null): boolean => id !== null && access.column(id).read === "deny";
  return table.columns.filter((column) => isDenied(column.id) || isDenied(repeatedBy(column)));
}

/** By column, the columns that repeat its cells in another form. */
export function helpersOf({ columns }: TableInfo): ReadonlyMap<string, readonly string[]> {
  const helpers = new Map<string, string[]>();
  for (const column of columns) {
    const repeated = repeatedBy(column);
    if (repeated !== null) helpers.set(repeated, [...(helpers.get(repeated) ?? []), column.id]);
  }
  return helpers;
}

/**
 * The reference that a helper shows by another column (`$Person.Name`): whoever does not see the one must not see the
 * other.
 */
const repeatedBy = ({ id, formula }: ColumnInfo): string | null =>
  id.startsWith("gristHelper_") ? (/^\$(\w+)\.\w+$/.exec(formula.trim())?.[1] ?? null) : null;

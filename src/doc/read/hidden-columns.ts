import type { CallerAccess } from "../rules/access-types.ts";
import type { ColumnInfo, TableInfo } from "../schema.ts";

/** Returns the columns that are hidden from the caller in every row of a visible table. */
export function hiddenColumns(rules: CallerAccess, table: TableInfo): ColumnInfo[] {
  const access = rules.table(table.id);
  if (access.read !== "mixed") return [];
  return table.columns.filter(({ id }) => access.column(id).read === "deny");
}

import type { TargetColumn } from "./import-target.ts";
import type { ColumnGoal } from "./import-request.ts";

/** The most specific first, as the server matches columns. */
const MATCHERS: readonly ((column: TargetColumn, name: string) => boolean)[] = [
  ({ label }, name) => label === name,
  ({ id }, name) => id === name,
  ({ label }, name) => label.toLowerCase() === name.toLowerCase(),
  ({ id }, name) => id.toLowerCase() === name.toLowerCase(),
];

/** Returns where the columns of a file go at first: to the column of the same name; others are left out. */
export function matchColumns(
  names: readonly { readonly source: string; readonly label: string }[],
  columns: readonly TargetColumn[],
): Map<string, ColumnGoal> {
  const goals = new Map<string, ColumnGoal>();
  const taken = new Set<string>();
  for (const matches of MATCHERS) {
    for (const { source, label } of names) {
      if (goals.has(source)) continue;
      const found = columns.find((column) => !taken.has(column.id) && matches(column, label));
      if (!found) continue;
      taken.add(found.id);
      goals.set(source, { kind: "column", id: found.id });
    }
  }
  return new Map(names.map(({ source }) => [source, goals.get(source) ?? { kind: "none" }]));
}

import type { OpenDocument } from "../document.ts";
import type { Rule } from "../rules/permission-evaluator.ts";
import type { ReadingRule } from "./explanation.ts";
import type { CellRead } from "./trace.ts";

/** Returns the access rules that read the cell: conditions on its row, and look-ups of users. For owners only. */
export function readingRules({ rules }: OpenDocument, { column: { id, table } }: CellRead): ReadingRule[] {
  if (!rules) return [];
  const { everything, tables } = rules.sets;
  const own = tables.get(table.id);
  const conditions: readonly Rule[] = [
    ...everything,
    ...(own?.whole ?? []),
    ...(own?.columns.flatMap((set) => set.rules) ?? []),
  ];
  const found = conditions.flatMap(({ columns, stored }): ReadingRule[] => {
    if (!stored?.resource || !columns.has(id)) return [];
    const { tableId, colIds } = stored.resource;
    return [{ kind: "rule", name: `${tableId}:${colIds}`, detail: stored.formula ?? "" }];
  });
  const attributes = rules.userAttributes
    .filter(({ tableId }) => tableId === table.id)
    .map(({ name, lookupColId }): ReadingRule => ({ kind: "userAttribute", name, detail: lookupColId }));
  return [...found, ...attributes];
}

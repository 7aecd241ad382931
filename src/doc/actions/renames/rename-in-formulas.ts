import { NameReferenceFinder } from "../../../formula/names/reference-finder.ts";
import {
  mayContainName,
  applyNameReplacement,
  type NameReplacement,
} from "../../../formula/names/apply-name-replacement.ts";
import { must } from "../../../lib/assert.ts";
import type { Change } from "../change.ts";

/** Formulas or types by column ref. */
type ByColumn = ReadonlyMap<number, string>;

/**
 * Renames a table or a column by `rename`, and updates the formulas of all columns. Formulas are analyzed before the
 * rename, while the schema still matches them.
 */
export function renameWithFormulas(change: Change, renaming: NameReplacement, rename: () => void): void {
  const formulas = formulasToRename(change, renaming);
  rename();
  rewriteColumns(change, "formula", formulas);
}

function formulasToRename({ schema }: Change, renaming: NameReplacement): ByColumn {
  const reader = new NameReferenceFinder(schema);
  const oldName = "column" in renaming ? renaming.column : renaming.table;
  const renamedFormulas = new Map<number, string>();
  for (const table of schema.tables) {
    for (const { ref, formula } of table.columns) {
      if (!mayContainName(formula, oldName)) continue;
      const renamed = applyNameReplacement(formula, reader.findReferences(formula, table.id), renaming);
      if (renamed !== formula) renamedFormulas.set(ref, renamed);
    }
  }
  return renamedFormulas;
}

/** Replaces the formula or type of columns with an equivalent one. */
export function rewriteColumns(change: Change, field: "formula" | "type", texts: ByColumn): void {
  if (texts.size === 0) return;
  const { schema } = change;
  for (const [ref, text] of texts) {
    const column = must(schema.columnByRef.get(ref), "column");
    const table = must(schema.tableByRef.get(column.tableRef), "table");
    // Marks the column as dirty, because results may contain the name of a table.
    change.apply(["ModifyColumn", table.id, column.id, { [field]: text }]);
  }
  change.apply(["BulkUpdateRecord", "_grist_Tables_column", [...texts.keys()], { [field]: [...texts.values()] }]);
}

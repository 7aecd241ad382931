import type { ColumnInfo } from "../schema.ts";
import type { Change } from "./change.ts";
import { type NameInFormula, replaceNames } from "./formula-names.ts";
import { updateMetadata } from "./metadata.ts";

/**
 * What names tables and columns follows when they are renamed. Formulas are followed by their words; what can only be
 * told from the types of values (a column named through a reference) is left to the formula language.
 */

/** In the formulas of all tables, the name of the table where it stands by itself. */
export function followTableRename(change: Change, from: string, to: string): void {
  rewriteFormulas(
    change,
    () =>
      ({ name, after }) =>
        after === "" && name === from ? to : undefined,
  );
}

/** In the formulas of its own table, `$Name` and `rec.Name`. */
export function followColumnRename(change: Change, table: string, from: string, to: string): void {
  rewriteFormulas(change, (owner) =>
    owner !== table
      ? undefined
      : ({ name, after, owner: object }) =>
          name === from && (after === "$" || (after === "." && object === "rec")) ? to : undefined,
  );
}

type Renaming = (name: NameInFormula) => string | undefined;

function rewriteFormulas(change: Change, renamingFor: (table: string) => Renaming | undefined): void {
  for (const table of change.schema.tables) {
    const renaming = renamingFor(table.id);
    if (!renaming) continue;
    for (const column of table.columns) {
      if (column.formula === "") continue;
      const formula = replaceNames(column.formula, renaming);
      if (formula !== column.formula) setFormula(change, table.id, column, formula);
    }
  }
}

function setFormula(change: Change, table: string, column: ColumnInfo, formula: string): void {
  change.apply(["ModifyColumn", table, column.id, { formula }]);
  updateMetadata(change, "_grist_Tables_column", column.ref, { formula });
  change.touched.columnKept(table, column.id);
}

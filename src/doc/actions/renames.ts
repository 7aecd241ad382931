import { NameReader } from "../../formula/names/names-in.ts";
import { mayName, renameIn, type Renaming } from "../../formula/names/rename.ts";
import type { Change } from "./change.ts";
import { updateMetadata } from "./metadata.ts";

/** A formula that follows when what it names is renamed. */
interface Following {
  /** Of the column that it is a formula of. */
  readonly ref: number;
  readonly formula: string;
}

/**
 * Renames a table or a column by `rename`, and the formulas of all columns follow. They are read before it, while the
 * document still agrees with them.
 */
export function withFormulas(change: Change, renaming: Renaming, rename: () => void): void {
  const following = formulasThatFollow(change, renaming);
  rename();
  for (const { ref, formula } of following) setFormula(change, ref, formula);
}

function formulasThatFollow({ schema }: Change, renaming: Renaming): Following[] {
  const reader = new NameReader(schema);
  const old = "column" in renaming ? renaming.column : renaming.table;
  return schema.tables.flatMap((table) =>
    table.columns.flatMap(({ ref, formula: before }) => {
      if (!mayName(before, old)) return [];
      const formula = renameIn(before, reader.namesIn(before, table.id), renaming);
      return formula === before ? [] : [{ ref, formula }];
    }),
  );
}

function setFormula(change: Change, ref: number, formula: string): void {
  const column = change.schema.columnByRef.get(ref);
  const table = column && change.schema.tableByRef.get(column.tableRef);
  if (!table) return;
  change.touched.reworded(table.id, column.id, () => change.apply(["ModifyColumn", table.id, column.id, { formula }]));
  updateMetadata(change, "_grist_Tables_column", ref, { formula });
}

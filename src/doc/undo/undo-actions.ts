import type { CellValue } from "../../values/cell.ts";
import type { ColumnValues, DocAction } from "../actions/doc-action.ts";
import type { RestoredCells, UndoDraft } from "./draft.ts";

/** Returns the actions that make an undo; the rows that return come first, since cells can refer to them. */
export const undoActions = (draft: UndoDraft): DocAction[] => [
  ...[...draft.restored].flatMap(([table, rows]) => additions(table, rows)),
  ...[...draft.cells].flatMap(([table, columns]) =>
    [...columns].flatMap(([column, rows]): DocAction[] => {
      const cells = [...rows.values()].map(({ to }) => to);
      return rows.size === 0 ? [] : [["BulkUpdateRecord", table, [...rows.keys()], { [column]: cells }]];
    }),
  ),
  ...[...draft.removed].flatMap(([table, rows]): DocAction[] =>
    rows.size === 0 ? [] : [["BulkRemoveRecord", table, [...rows]]],
  ),
];

/** One action for all rows with the same columns: some columns did not exist when other rows were removed. */
function additions(table: string, rows: ReadonlyMap<number, RestoredCells>): DocAction[] {
  const groups = Map.groupBy(rows, ([, cells]) => JSON.stringify([...cells.keys()]));
  return [...groups.values()].map((group): DocAction => {
    const columns = [...(group[0]?.[1].keys() ?? [])];
    const cellsOf = (column: string): CellValue[] => group.map(([, cells]) => cells.get(column) ?? null);
    const values: ColumnValues = Object.fromEntries(columns.map((column) => [column, cellsOf(column)]));
    return ["BulkAddRecord", table, group.map(([row]) => row), values];
  });
}

import type { RecordJson } from "../../../../base/table-data.ts";
import type { Sheet } from "../sheet.ts";
import type { SavingChange } from "./row-pages.ts";

/** The row that is entered in the blank row, until it is added. */
export const NEW_ROW: RecordJson = { id: 0, fields: {} };

/** Shows a new row below all others, with values, while it is added; it is the active one at once. */
export function showNewRow(
  { rowPages, held, grid }: Sheet,
  { shown, column }: { shown: RecordJson["fields"]; column: number },
): SavingChange<number> {
  const row = rowPages.addRow();
  held.holdNew(row.id);
  const write = rowPages.patch(row.id, shown);
  grid.activate({ row: rowPages.indexOf(row.id), column }, { focus: grid.hasFocus });
  return {
    finish(id) {
      write.finish(id);
      row.finish(id);
    },
    revert() {
      write.revert();
      row.revert();
    },
  };
}

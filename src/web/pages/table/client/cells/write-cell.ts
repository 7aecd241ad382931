import type { RecordJson } from "../../../../base/table-data.ts";
import { ApiError } from "../../../../base/client/api.ts";
import type { Column } from "../columns/columns.ts";
import type { EditorValue } from "../editors/cell-editor.ts";
import { NEW_ROW, showNewRow } from "../rows/new-row.ts";
import type { SavingChange } from "../rows/row-pages.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager, UserAction } from "../undo-manager.ts";

interface CellChange extends Pick<EditorValue, "value" | "before"> {
  readonly row: RecordJson;
  readonly column: Column;
  /** The fields that show the new value while it is sent. */
  readonly shown: RecordJson["fields"];
}

/**
 * Changes a cell, of a row that is added where the cell is in the blank row. It shows the new value while that is sent.
 * @throws Error if it cannot be sent or is refused; the cell shows the former value then
 */
export async function writeCell(
  { row, column, value, shown, before }: CellChange,
  { sheet, changes }: { readonly sheet: Sheet; readonly changes: UndoManager },
): Promise<void> {
  const write = showValue(sheet, row, { column, shown });
  sheet.grid.rowsChanged();
  const columnNow = () => sheet.columns.find(({ ref }) => ref === column.ref) ?? column;
  const columnId = () => columnNow().id;
  const action = (): UserAction =>
    row === NEW_ROW
      ? ["AddRecord", sheet.table, null, { ...sheet.link.values, [columnId()]: value }]
      : ["UpdateRecord", sheet.table, row.id, { [columnId()]: value }];
  const apply = () =>
    changes.apply([...(before?.(columnNow()) ?? []), action()], {
      onApplied: (results) => write.finish(Number(results.at(-1))),
    });
  const sentId = columnId();
  try {
    await apply().catch(async (error: unknown) => {
      if (!(error instanceof ApiError) || error.details["code"] !== "column.unknown") throw error;
      // Another user may have renamed the column.
      await sheet.reloadColumns();
      if (columnId() === sentId) throw error;
      await apply();
    });
  } catch (error) {
    write.revert();
    sheet.grid.rowsChanged();
    throw error;
  }
}

function showValue(
  sheet: Sheet,
  row: RecordJson,
  { column, shown }: Pick<CellChange, "column" | "shown">,
): SavingChange<number> {
  if (row === NEW_ROW)
    return showNewRow(sheet, { shown: { ...sheet.link.values, ...shown }, column: sheet.shown.indexOf(column) });
  sheet.held.hold(row.id);
  return sheet.rowPages.patch(row.id, shown);
}

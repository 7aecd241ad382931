import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import type { Column } from "../columns/columns.ts";
import { openEditAllRows } from "../on-first-use.ts";
import type { Sheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";

/** The command of a column that changes its cells in all rows of the view. */
export function setAllItems(column: Column, { sheet, changes }: { sheet: Sheet; changes: UndoManager }): MenuItem[] {
  const count = sheet.rowPages.totalCount;
  if (!sheet.canEditCells(column) || count === 0) return [];
  const run = () => void openEditAllRows({ sheet, changes, column });
  return [{ label: t("table.all.setCells", { count }), icon: "pencil", run }];
}

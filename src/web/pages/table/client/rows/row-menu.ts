import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { openRowCard } from "../on-first-use.ts";
import type { Column } from "../columns/columns.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { RowCommands } from "./row-commands.ts";
import type { Sheet } from "../sheet.ts";
import { openWhy } from "../why/open-why.ts";

export interface RowMenuOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
  /** The column of the active cell; undefined for a row as a whole. */
  readonly column?: Column | undefined;
}

/** The menu of a row, or of the selected rows. */
export function rowMenuItems(at: number, { sheet, changes, rows, column }: RowMenuOptions): MenuItem[] {
  const row = sheet.rowPages.rowAt(at);
  const open: MenuItem = {
    label: t("table.row.open"),
    icon: "chevron-right",
    run: () => void openRowCard(at, { sheet, changes }),
  };
  const explain: MenuItem[] =
    column && row
      ? [
          {
            label: t("table.why"),
            icon: "circle-question-mark",
            run: () => void openWhy(sheet, { column, rowId: row.id }),
          },
        ]
      : [];
  if (!sheet.canEdit || sheet.isSummary || !row) return [open, ...explain];
  const { top, bottom } = sheet.grid.selection.range(sheet.shown.length);
  const canInsert = sheet.view.sort.length === 0 ? undefined : t("table.row.notWhileSorted");
  return [
    open,
    ...explain,
    { label: t("table.row.insertAbove"), icon: "plus", run: () => void rows.insert("above"), unavailable: canInsert },
    { label: t("table.row.duplicate"), icon: "copy", run: () => void rows.duplicate() },
    {
      label: t("table.row.delete", { count: bottom - top + 1 }),
      icon: "trash-2",
      isDangerous: true,
      run: () => void rows.remove(),
    },
  ];
}

import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { countRows } from "../../../../base/client/grid/row-ranges.ts";
import { selectedRange, selectedRows } from "../commands/range-changes.ts";
import type { RowCommands } from "./row-commands.ts";
import type { Sheet } from "../sheet.ts";
import type { RowMoves } from "./move-rows.ts";
import { positionReason } from "./position-reason.ts";

export interface RowMenuOptions {
  readonly sheet: Sheet;
  readonly rows: RowCommands;
  readonly moves: RowMoves;
}

/** Items about the selected rows. */
export function rowMenuItems({ sheet, rows, moves }: RowMenuOptions): MenuItem[] {
  const range = selectedRange(sheet);
  if (!sheet.canEdit || sheet.isSummary || !range) return [];
  const { selection } = sheet.grid;
  const ranges = selectedRows(sheet);
  const count = countRows(ranges);
  const unavailable = positionReason(sheet);
  return [
    {
      label: t("table.row.insertAbove", { count }),
      icon: "plus",
      shortcut: "Ctrl+Shift+Enter",
      unavailable,
      run: () => void rows.insert("above"),
    },
    {
      label: t("table.row.insertBelow", { count }),
      shortcut: "Ctrl+Enter",
      unavailable,
      run: () => void rows.insert("below"),
    },
    {
      label: t("table.row.addToSelection"),
      shortcut: "Ctrl+Shift+Space",
      run() {
        selection.addRow(selection.active.row);
        sheet.grid.selectionChanged();
        sheet.grid.focus();
      },
    },
    {
      label: t("table.row.moveUp"),
      icon: "arrow-up",
      shortcut: "Alt+Shift+ArrowUp",
      unavailable: unavailable ?? (ranges[0]?.top === 0 && ranges.length === 1 ? t("table.row.isFirst") : undefined),
      run: () => moves.move("up"),
    },
    {
      label: t("table.row.moveDown"),
      icon: "arrow-down",
      shortcut: "Alt+Shift+ArrowDown",
      unavailable:
        unavailable ??
        (ranges.length === 1 && range.bottom === sheet.rowPages.count - 1 ? t("table.row.isLast") : undefined),
      run: () => moves.move("down"),
    },
    { label: t("table.row.duplicate", { count }), icon: "copy", run: () => void rows.duplicate() },
    {
      label: t("table.row.delete", { count }),
      icon: "trash-2",
      isDangerous: true,
      shortcut: "Ctrl+Delete",
      run: () => void rows.remove(),
    },
  ];
}

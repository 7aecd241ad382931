import { formatCount } from "../../../../../lib/text/formatting.ts";
import type { MenuItem } from "../../../../base/client/menu.ts";
import { openRowCard } from "./row-card.ts";
import type { UndoManager } from "../undo-manager.ts";
import type { RowCommands } from "./row-commands.ts";
import type { Sheet } from "../sheet.ts";

export interface RowMenuOptions {
  readonly sheet: Sheet;
  readonly changes: UndoManager;
  readonly rows: RowCommands;
}

/** The menu of a row, or of the selected rows. */
export function rowMenuItems(at: number, { sheet, changes, rows }: RowMenuOptions): MenuItem[] {
  const row = sheet.rowPages.rowAt(at);
  const open: MenuItem = { label: "Open row", icon: "right", run: () => void openRowCard(at, { sheet, changes }) };
  if (!sheet.canEdit || sheet.isSummary || !row) return [open];
  const { top, bottom } = sheet.grid.selection.range(sheet.shown.length);
  const canInsert = sheet.view.sort.length === 0 ? undefined : "not available while sorted";
  return [
    open,
    { label: "Insert row above", icon: "add", run: () => void rows.add(row), unavailable: canInsert },
    { label: "Duplicate row", icon: "copy", run: () => void rows.duplicate(row) },
    {
      label: `Delete ${formatCount(bottom - top + 1, "row", "rows")}`,
      icon: "trash",
      isDangerous: true,
      run: () => void rows.remove(),
    },
  ];
}

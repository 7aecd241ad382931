import type { MenuItem } from "../../../../base/client/menu.ts";
import { t } from "../../../../base/client/texts.ts";
import { selectedRange } from "../commands/range-changes.ts";
import type { RowCommands } from "./row-commands.ts";
import type { Sheet } from "../sheet.ts";

/** Items about the selected rows. */
export function rowMenuItems({ sheet, rows }: { readonly sheet: Sheet; readonly rows: RowCommands }): MenuItem[] {
  const range = selectedRange(sheet);
  if (!sheet.canEdit || sheet.isSummary || !range) return [];
  const count = range.bottom - range.top + 1;
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

/** Why rows have no position of their own in this view; undefined if they have. */
export function positionReason({ view, grouping }: Sheet): string | undefined {
  if (view.sort.length > 0) return t("table.row.notWhileSorted");
  return grouping.geometry === null ? undefined : t("table.row.notWhileGrouped");
}

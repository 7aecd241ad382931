import { count } from "../../../lib/sizes.ts";
import type { MenuItem } from "../base/menu.ts";
import { openCard } from "./card.ts";
import type { Changes } from "./changes.ts";
import type { Rows } from "./rows.ts";
import type { Sheet } from "./sheet.ts";

export interface RowMenuOptions {
  readonly sheet: Sheet;
  readonly changes: Changes;
  readonly rows: Rows;
}

/** What can be done with a row, or with those that are chosen. */
export function rowMenu(at: number, { sheet, changes, rows }: RowMenuOptions): MenuItem[] {
  const row = sheet.pages.at(at);
  const open: MenuItem = { label: "Open the row", icon: "right", run: () => void openCard(at, { sheet, changes }) };
  if (!sheet.mayEdit || sheet.isSummary || !row) return [open];
  const { top, bottom } = sheet.grid.selection.area(sheet.shown.length);
  const inOrder = sheet.view.sort.length === 0 ? undefined : "only in the table's own order";
  return [
    open,
    { label: "Insert a row above", icon: "add", run: () => void rows.add(row), unavailable: inOrder },
    { label: "Add the row again", icon: "copy", run: () => void rows.duplicate(row) },
    {
      label: `Delete ${count(bottom - top + 1, "row", "rows")}`,
      icon: "trash",
      isDangerous: true,
      run: () => void rows.remove(),
    },
  ];
}

import { openRowPanelOf } from "../on-first-use.ts";
import { rowOfAddress } from "../row-panel/row-address.ts";
import type { RowPanelOptions } from "../row-panel/row-panel.ts";
import { indexOfRow } from "./index-of-row.ts";

/** Opens the panel of the row that the page's address names, now and by Back and Forward. */
export function followRowAddress(options: RowPanelOptions): void {
  const follow = () => void openRowOfAddress(options);
  window.addEventListener("popstate", () => {
    // An open panel notes its own row.
    if (!document.querySelector(".row-panel")) follow();
  });
  follow();
}

/** A row outside of the view is shown as well. */
async function openRowOfAddress(options: RowPanelOptions): Promise<void> {
  const id = rowOfAddress(options.sheet);
  if (id === null) return;
  const { grid, rowPages } = options.sheet;
  const index = await indexOfRow(options.sheet, id);
  if (index >= 0) grid.activate({ row: index, column: grid.selection.active.column }, { focus: false });
  await openRowPanelOf({ id, index: index < 0 ? rowPages.count : index }, options);
}

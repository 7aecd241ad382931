import { h } from "../../../../base/client/dom.ts";
import type { CellRange } from "../../../../base/client/grid/selection.ts";
import type { GridSheet } from "../sheet.ts";
import type { UndoManager } from "../undo-manager.ts";
import { selectedRange } from "./range-changes.ts";

/** Adds the handle at the corner of the selection, by which its cells are filled into others. Menus and keys do the same. */
export function attachFillHandle(sheet: GridSheet, changes: UndoManager): void {
  const { grid } = sheet;
  const handle = h("div", { class: "fill-handle", "aria-hidden": "true" });
  const place = () => {
    const range = handledRange(sheet);
    const cell = range && grid.elementAt({ row: range.bottom, column: range.right });
    if (!cell) return handle.remove();
    // In its row it scrolls with the cell.
    if (handle.parentElement !== cell.parentElement) cell.parentElement?.append(handle);
    // The position of the cell was set without a layout.
    handle.style.left = `calc(${cell.style.left} + ${cell.style.width})`;
  };
  const { onSelection } = sheet;
  sheet.onSelection = () => {
    onSelection();
    place();
  };
  sheet.onChange(place);
  const load = () => import("./fill-drag.ts");
  const start = (run: (drag: Awaited<ReturnType<typeof load>>, range: CellRange) => unknown) => {
    const range = handledRange(sheet);
    if (range)
      load().then(
        (drag) => run(drag, range),
        (error: unknown) => sheet.showError(error),
      );
  };
  handle.addEventListener("pointerenter", () => void load().catch(() => {}));
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    // Otherwise the cell would lose the focus.
    event.preventDefault();
    const release = new AbortController();
    window.addEventListener("pointerup", () => release.abort(), { once: true, signal: release.signal });
    start((drag, range) => !release.signal.aborted && drag.dragFill(range, { sheet, changes }));
  });
  handle.addEventListener("dblclick", (event) => {
    event.stopPropagation();
    start((drag, range) => drag.fillToNeighbour(range, { sheet, changes }));
  });
}

/** The selected range, if cells of it can be continued. */
function handledRange(sheet: GridSheet): CellRange | null {
  const { selection } = sheet.grid;
  if (!sheet.canEdit || selection.isRows || selection.isAll || selection.active.row < 0) return null;
  const range = selectedRange(sheet);
  return range && sheet.shown.slice(range.left, range.right + 1).some((each) => sheet.canEditCells(each))
    ? range
    : null;
}

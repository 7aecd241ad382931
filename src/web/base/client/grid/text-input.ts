import type { Grid } from "./grid.ts";

/**
 * Passes on text that arrives at the active cell without a key: from input methods, dictation, emoji pickers. The cell
 * itself never changes.
 */
export function attachTextInput<Row>(grid: Grid<Row>, edit: (typed: string) => void): void {
  const { element } = grid;
  const cellOf = ({ target }: Event): HTMLElement | null =>
    target instanceof HTMLElement && target.role === "gridcell" && grid.positionOf(target) ? target : null;
  element.addEventListener("beforeinput", (event) => {
    // A composition cannot be prevented, and ends with its text.
    if (!cellOf(event) || event.isComposing || event.inputType === "insertCompositionText") return;
    event.preventDefault();
    const text = event.data ?? event.dataTransfer?.getData("text/plain") ?? "";
    if (text !== "" && event.inputType.startsWith("insert")) edit(text);
  });
  // The text that is being composed is shown instead of the value.
  element.addEventListener("compositionstart", (event) => cellOf(event)?.replaceChildren());
  element.addEventListener("compositionend", (event) => {
    const cell = cellOf(event);
    if (!cell) return;
    cell.replaceChildren();
    grid.renderedRow(grid.selection.active.row)?.invalidate();
    grid.selectionChanged();
    if (event.data !== "") edit(event.data);
  });
}

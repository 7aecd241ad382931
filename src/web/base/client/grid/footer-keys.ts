import type { Grid } from "./grid.ts";

/** Adds arrow keys from the last row into the footer, inside it, and back. */
export function attachFooterKeys<Row>(grid: Grid<Row>): void {
  const focus = (column: number): boolean => {
    const control = grid.revealFooter(column)?.querySelector<HTMLElement>("button");
    control?.focus({ preventScroll: true });
    return control !== null && control !== undefined;
  };
  const handle = (event: KeyboardEvent): boolean => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const at = grid.footerColumnOf(target);
    if (at === undefined) {
      const { row, column } = grid.selection.active;
      return key === "ArrowDown" && row === grid.lastRow && grid.positionOf(target)?.row === row && focus(column);
    }
    const last = grid.columns.length - 1;
    const columns: Record<string, number> = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last };
    const next = columns[key];
    if (next !== undefined) return focus(Math.max(0, Math.min(next, last)));
    if (key !== "ArrowUp" && key !== "Escape") return false;
    grid.activate({ row: grid.lastRow, column: at });
    return true;
  };
  // Before the keys of the rows, for which the last row is the end.
  grid.element.addEventListener(
    "keydown",
    (event) => {
      if (!handle(event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}

import { setStyleIfChanged } from "./body-rows.ts";
import type { ColumnLayout } from "./column-layout.ts";

/** Returns the width that the content of some cells needs in one line. */
export function contentWidth(grid: HTMLElement, cells: readonly HTMLElement[]): number {
  // Cells have a fixed width, which this class lifts.
  grid.classList.add("measuring");
  const widths = cells.map((cell) => Math.ceil(cell.getBoundingClientRect().width));
  grid.classList.remove("measuring");
  return Math.max(0, ...widths);
}

interface LineWidths {
  readonly columnLayout: ColumnLayout;
  readonly headerWidth: number;
  /** Width at the right edge that a panel covers. */
  readonly coveredWidth: number;
}

/** Gives all lines of a grid the width of the columns, and the grid that of the frozen ones. */
export function setWidths(
  grid: HTMLElement,
  lines: readonly HTMLElement[],
  { columnLayout, headerWidth, coveredWidth }: LineWidths,
): void {
  for (const line of lines) setStyleIfChanged(line, "width", `${headerWidth + columnLayout.width + coveredWidth}px`);
  const frozenWidth = `${columnLayout.frozenWidth}px`;
  if (grid.style.getPropertyValue("--frozen") === frozenWidth) return;
  grid.style.setProperty("--frozen", frozenWidth);
  grid.classList.toggle("has-frozen", columnLayout.frozen > 0);
}

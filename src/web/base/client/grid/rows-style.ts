import type { RowsStyle } from "./rows-view.ts";

/** Sets the classes of a grid by which style sheets draw its rows. Returns the style. */
export function showStyle<Row>(grid: HTMLElement, style: RowsStyle<Row> | undefined): RowsStyle<Row> | undefined {
  if (!style) return undefined;
  grid.classList.toggle("without-vertical-lines", !style.hasVerticalLines);
  grid.classList.toggle("without-horizontal-lines", !style.hasHorizontalLines);
  grid.classList.toggle("striped", style.isStriped);
  grid.classList.toggle("without-numbers", !style.hasNumbers);
  return style;
}

import type { RowsStyle } from "./rows-view.ts";

/** Sets the classes of a grid by which style sheets draw its rows. */
export function showStyle<Row>(grid: HTMLElement, style: RowsStyle<Row>): void {
  grid.classList.toggle("without-vertical-lines", !style.hasVerticalLines);
  grid.classList.toggle("without-horizontal-lines", !style.hasHorizontalLines);
  grid.classList.toggle("striped", style.isStriped);
  grid.classList.toggle("without-numbers", !style.hasNumbers);
}

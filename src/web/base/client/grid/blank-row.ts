import { h, icon } from "../dom.ts";
import { t } from "../texts.ts";
import { type GridRow, placeCells } from "./cell-placement.ts";
import type { RowRenderOptions } from "./row-element.ts";

/** The empty row below all rows, in which people enter a new one. */
export class BlankRow<Row> implements GridRow {
  /** Rows of a grid are in row groups. */
  readonly group: HTMLElement;
  readonly element: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  readonly corner: HTMLElement;
  #drawn: RowRenderOptions<Row> | undefined;

  constructor() {
    this.corner = h(
      "div",
      { role: "rowheader", class: "row-head", "aria-colindex": 1 },
      h("span", { class: "unseen" }, t("base.grid.blankRow")),
      icon("plus"),
    );
    this.element = h("div", { role: "row", class: "row blank-row" }, this.corner);
    this.group = h("div", { role: "rowgroup", class: "blank-group" }, this.element);
  }

  draw(renderOptions: RowRenderOptions<Row>, rowIndex: number): void {
    const text = String(rowIndex);
    if (this.element.getAttribute("aria-rowindex") !== text) this.element.setAttribute("aria-rowindex", text);
    if (renderOptions === this.#drawn) return;
    const { columnLayout, visibleColumns, headerWidth } = renderOptions;
    placeCells(this, {
      columnLayout,
      visibleColumns,
      headerWidth,
      haveMoved: columnLayout !== this.#drawn?.columnLayout,
      make: (at) => h("div", { role: "gridcell", class: "cell", tabindex: -1, "aria-colindex": at + 2 }),
      onPlaced: (cell, at) => cell.classList.toggle("frozen", columnLayout.isFrozen(at)),
    });
    this.#drawn = renderOptions;
  }
}

import { h } from "../dom.ts";
import { t } from "../texts.ts";
import { type GridRow, placeCells } from "./cell-placement.ts";
import type { RowRenderOptions } from "./row-element.ts";

/** The sticky row below all rows, for columns that draw a cell of it. */
export class FooterRow<Row> implements GridRow {
  /** Rows of a grid are in row groups. */
  readonly group: HTMLElement;
  readonly element: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  readonly corner: HTMLElement;
  #drawn: RowRenderOptions<Row> | undefined;

  constructor() {
    this.corner = h(
      "div",
      { role: "rowheader", class: "corner", "aria-colindex": 1 },
      h("span", { class: "unseen" }, t("base.grid.totals")),
    );
    this.element = h("div", { role: "row", class: "foot" }, this.corner);
    this.group = h("div", { role: "rowgroup", class: "foot-group" }, this.element);
  }

  /** The column of an event; undefined outside of the cells. */
  columnOf(target: EventTarget | null): number | undefined {
    const cell = target instanceof Element ? target.closest("[role=gridcell]") : null;
    return cell?.parentElement === this.element ? Number(cell.getAttribute("aria-colindex")) - 2 : undefined;
  }

  draw(renderOptions: RowRenderOptions<Row>, rowIndex: number): void {
    const text = String(rowIndex);
    if (this.element.getAttribute("aria-rowindex") !== text) this.element.setAttribute("aria-rowindex", text);
    if (renderOptions === this.#drawn) return;
    const { columns, columnLayout, visibleColumns, headerWidth } = renderOptions;
    const columnsChanged = columns !== this.#drawn?.columns;
    placeCells(this, {
      columnLayout,
      visibleColumns: visibleColumns.filter((at) => columns[at] !== undefined),
      headerWidth,
      haveMoved: columnLayout !== this.#drawn?.columnLayout,
      make: (at) => h("div", { role: "gridcell", class: "foot-cell", "aria-colindex": at + 2 }),
      onPlaced(cell, at, isNew) {
        if (isNew || columnsChanged) columns[at]?.drawFooter?.(cell);
      },
    });
    this.#drawn = renderOptions;
  }
}

import { h, setText } from "../dom.ts";
import { type GridRow, placeCells } from "./cell-placement.ts";
import type { ColumnLayout } from "./layout.ts";

/** How a column shows itself; rows are of any kind. */
export interface GridColumn<Row> {
  readonly id: string;
  readonly width: number;
  /** Said of the column by screen readers besides its name. */
  readonly sort?: "ascending" | "descending" | undefined;
  /** Fills the head of the column. */
  drawHeader(cell: HTMLElement): void;
  /** Fills a cell, which has only `cell` as its class by then. */
  drawCell(cell: HTMLElement, row: Row): void;
}

/** What a row is drawn with. */
export interface RowRenderOptions<Row> {
  readonly columns: readonly GridColumn<Row>[];
  readonly columnLayout: ColumnLayout;
  /** The columns to be there, in their order. */
  readonly visibleColumns: readonly number[];
  readonly headerWidth: number;
}

/** One row on the page: made once, and used for one row after the other. */
export class RowElement<Row> implements GridRow {
  readonly element: HTMLElement;
  readonly corner: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  index = -1;
  #row: Row | undefined;
  #renderOptions: RowRenderOptions<Row> | undefined;
  #isDrawn = false;

  constructor() {
    this.corner = h("div", { role: "rowheader", class: "row-head", "aria-colindex": 1 });
    this.element = h("div", { role: "row", class: "row" }, this.corner);
  }

  /** Shows a row at its place; undefined where it is not loaded yet. */
  draw(index: number, row: Row | undefined, renderOptions: RowRenderOptions<Row>): void {
    const indexChanged = index !== this.index;
    if (this.#isDrawn && !indexChanged && row === this.#row && renderOptions === this.#renderOptions) return;
    if (indexChanged || !this.#isDrawn) {
      this.index = index;
      this.element.setAttribute("aria-rowindex", String(index + 2));
      setText(this.corner, String(index + 1));
    }
    const cellsChanged = indexChanged || row !== this.#row || renderOptions.columns !== this.#renderOptions?.columns;
    this.element.classList.toggle("loading", row === undefined);
    this.element.setAttribute("aria-busy", String(row === undefined));
    this.#placeCells(renderOptions, { row, areCellsOther: cellsChanged });
    this.#row = row;
    this.#renderOptions = renderOptions;
    this.#isDrawn = true;
  }

  #placeCells(
    look: RowRenderOptions<Row>,
    { row, areCellsOther }: { row: Row | undefined; areCellsOther: boolean },
  ): void {
    const { columns, columnLayout, visibleColumns, headerWidth } = look;
    placeCells(this, {
      columnLayout,
      visibleColumns,
      headerWidth,
      haveMoved: columnLayout !== this.#renderOptions?.columnLayout,
      make: (at) => h("div", { role: "gridcell", tabindex: -1, "aria-colindex": at + 2 }),
      onPlaced(cell, at, isNew) {
        if (!isNew && !areCellsOther) return;
        cell.className = "cell";
        if (cell.title !== "") cell.removeAttribute("title");
        if (row === undefined) cell.replaceChildren();
        else columns[at]?.drawCell(cell, row);
      },
    });
  }
}

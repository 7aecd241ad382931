import { h, setText } from "../dom.ts";
import { type GridRow, placeCells } from "./cell-placement.ts";
import type { ColumnLayout } from "./column-layout.ts";

/** Renders a column; rows are of any type. */
export interface GridColumn<Row> {
  readonly id: string;
  readonly width: number;
  /** Added to the column's name for screen readers. */
  readonly sort?: "ascending" | "descending" | undefined;
  /** Renders the column header. */
  drawHeader(cell: HTMLElement): void;
  /** Renders a cell, whose only class is `cell` by then. */
  drawCell(cell: HTMLElement, row: Row): void;
  /** Renders the cell of the footer, which is shown if a column has this. The cell may have content. */
  readonly drawFooter?: ((cell: HTMLElement) => void) | undefined;
}

/** Rendering options of a row. */
export interface RowRenderOptions<Row> {
  readonly columns: readonly GridColumn<Row>[];
  readonly columnLayout: ColumnLayout;
  /** The rendered columns, in order. */
  readonly visibleColumns: readonly number[];
  readonly headerWidth: number;
  /** The text in the header of a row; null for its number in the table. */
  readonly numberOf: ((row: Row) => string) | null;
}

export interface RowDrawing<Row> {
  readonly renderOptions: RowRenderOptions<Row>;
  /** Its line and its number, which differ from its index where rows are in groups. */
  readonly place: { readonly line: number; readonly number: number } | null;
}

/** A row element, recycled for different rows. */
export class RowElement<Row> implements GridRow {
  readonly element: HTMLElement;
  readonly corner: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  index = -1;
  #row: Row | undefined;
  #renderOptions: RowRenderOptions<Row> | undefined;
  #isDrawn = false;
  #line = -1;
  #number = "";

  constructor() {
    this.corner = h("div", { role: "rowheader", class: "row-head", "aria-colindex": 1 });
    this.element = h("div", { role: "row", class: "row" }, this.corner);
  }

  /** Renders a row at its position; undefined while it is not loaded. */
  draw(index: number, row: Row | undefined, { renderOptions, place }: RowDrawing<Row>): void {
    const { line, number } = place ?? { line: index, number: index + 1 };
    if (line !== this.#line) {
      this.element.setAttribute("aria-rowindex", String(line + 2));
      this.element.classList.toggle("even", line % 2 === 1);
      this.#line = line;
    }
    const { numberOf } = renderOptions;
    const text = numberOf === null ? String(number) : row === undefined ? "" : numberOf(row);
    if (text !== this.#number) setText(this.corner, text);
    this.#number = text;
    const indexChanged = index !== this.index;
    if (this.#isDrawn && !indexChanged && row === this.#row && renderOptions === this.#renderOptions) return;
    this.index = index;
    const cellsChanged = indexChanged || row !== this.#row || renderOptions.columns !== this.#renderOptions?.columns;
    this.element.classList.toggle("loading", row === undefined);
    this.element.setAttribute("aria-busy", String(row === undefined));
    this.#placeCells(renderOptions, { row, areCellsOther: cellsChanged });
    this.#row = row;
    this.#renderOptions = renderOptions;
    this.#isDrawn = true;
  }

  /** Renders the cells at the next drawing, also of the same row. */
  invalidate(): void {
    this.#isDrawn = false;
    this.#row = undefined;
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
        cell.className = columnLayout.isFrozen(at) ? "cell frozen" : "cell";
        if (cell.title !== "") cell.removeAttribute("title");
        if (row === undefined) cell.replaceChildren();
        else columns[at]?.drawCell(cell, row);
      },
    });
  }
}

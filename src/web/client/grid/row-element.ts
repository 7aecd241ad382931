import { h, setText } from "../base/dom.ts";
import { type Line, placeCells } from "./line.ts";
import type { ColumnSpace } from "./space.ts";

/** How a column shows itself; rows are of any kind. */
export interface GridColumn<Row> {
  readonly id: string;
  readonly width: number;
  /** Said of the column by screen readers besides its name. */
  readonly sort?: "ascending" | "descending" | undefined;
  /** Fills the head of the column. */
  head(cell: HTMLElement): void;
  /** Fills a cell, which has only `cell` as its class by then. */
  draw(cell: HTMLElement, row: Row): void;
}

/** What a row is drawn with. */
export interface RowLook<Row> {
  readonly columns: readonly GridColumn<Row>[];
  readonly space: ColumnSpace;
  /** The columns to be there, in their order. */
  readonly shown: readonly number[];
  readonly headWidth: number;
}

/** One row on the page: made once, and used for one row after the other. */
export class RowElement<Row> implements Line {
  readonly element: HTMLElement;
  readonly head: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  index = -1;
  #row: Row | undefined;
  #look: RowLook<Row> | undefined;
  #isDrawn = false;

  constructor() {
    this.head = h("div", { role: "rowheader", class: "row-head", "aria-colindex": 1 });
    this.element = h("div", { role: "row", class: "row" }, this.head);
  }

  /** Shows a row at its place; undefined where it is not loaded yet. */
  draw(index: number, row: Row | undefined, look: RowLook<Row>): void {
    const isOther = index !== this.index;
    if (this.#isDrawn && !isOther && row === this.#row && look === this.#look) return;
    if (isOther || !this.#isDrawn) {
      this.index = index;
      this.element.setAttribute("aria-rowindex", String(index + 2));
      setText(this.head, String(index + 1));
    }
    const areCellsOther = isOther || row !== this.#row || look.columns !== this.#look?.columns;
    this.element.classList.toggle("loading", row === undefined);
    this.element.setAttribute("aria-busy", String(row === undefined));
    this.#placeCells(look, { row, areCellsOther });
    this.#row = row;
    this.#look = look;
    this.#isDrawn = true;
  }

  #placeCells(look: RowLook<Row>, { row, areCellsOther }: { row: Row | undefined; areCellsOther: boolean }): void {
    const { columns, space, shown, headWidth } = look;
    placeCells(this, {
      space,
      shown,
      headWidth,
      areElsewhere: space !== this.#look?.space,
      make: (at) => h("div", { role: "gridcell", tabindex: -1, "aria-colindex": at + 2 }),
      placed(cell, at, isNew) {
        if (!isNew && !areCellsOther) return;
        cell.className = "cell";
        if (cell.title !== "") cell.removeAttribute("title");
        if (row === undefined) cell.replaceChildren();
        else columns[at]?.draw(cell, row);
      },
    });
  }
}

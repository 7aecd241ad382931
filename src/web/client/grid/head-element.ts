import { fill, h } from "../base/dom.ts";
import { type Line, placeCells } from "./line.ts";
import type { RowLook } from "./row-element.ts";

/** The row of column heads, which stays in view. */
export class HeadElement<Row> implements Line {
  readonly element: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  readonly head: HTMLElement;
  #columns: RowLook<Row>["columns"] | undefined;
  #space: RowLook<Row>["space"] | undefined;
  #shown: RowLook<Row>["shown"] | undefined;

  /** @param resized called while somebody draws the edge of a column; `isDone` at the end of it */
  constructor(resized: (column: number, width: number, isDone: boolean) => void) {
    this.head = h(
      "div",
      { role: "columnheader", class: "corner", "aria-colindex": 1 },
      h("span", { class: "unseen" }, "Row"),
    );
    this.element = h("div", { role: "row", class: "head", "aria-rowindex": 1 }, this.head);
    this.element.addEventListener("pointerdown", (event) => startResizing(event, resized));
  }

  draw(look: RowLook<Row>): void {
    const { columns, space, headWidth } = look;
    const areOther = columns !== this.#columns;
    if (!areOther && look.shown === this.#shown) return;
    placeCells(this, {
      space,
      shown: look.shown.filter((at) => columns[at] !== undefined),
      headWidth,
      areElsewhere: space !== this.#space,
      make: (at) => h("div", { role: "columnheader", class: "column-head", tabindex: -1, "aria-colindex": at + 2 }),
      placed(cell, at, isNew) {
        const column = columns[at];
        if (!column || (!isNew && !areOther)) return;
        fill(cell);
        column.head(cell);
        cell.append(h("span", { class: "edge", "data-column": at, "aria-hidden": "true" }));
        if (column.sort) cell.setAttribute("aria-sort", column.sort);
        else cell.removeAttribute("aria-sort");
      },
    });
    this.#columns = columns;
    this.#space = space;
    this.#shown = look.shown;
  }
}

const MIN_WIDTH_PX = 48;
const MAX_WIDTH_PX = 1200;

function startResizing(event: PointerEvent, resized: (column: number, width: number, isDone: boolean) => void): void {
  const edge = event.target;
  if (!(edge instanceof HTMLElement) || edge.dataset["column"] === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const column = Number(edge.dataset["column"]);
  const from = edge.parentElement?.offsetWidth ?? 0;
  const start = event.clientX;
  let width = from;
  const move = (moved: PointerEvent) => {
    width = Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, from + moved.clientX - start));
    resized(column, width, false);
  };
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    resized(column, width, true);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

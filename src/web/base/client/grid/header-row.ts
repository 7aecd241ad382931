import { replaceChildren, h } from "../dom.ts";
import { t } from "../texts.ts";
import { type GridRow, placeCells } from "./cell-placement.ts";
import type { GridOptions } from "./grid-options.ts";
import type { RowRenderOptions } from "./row-element.ts";

/** The sticky row of column headers. */
export class HeaderRow<Row> implements GridRow {
  readonly element: HTMLElement;
  readonly cells = new Map<number, HTMLElement>();
  readonly corner: HTMLElement;
  #columns: RowRenderOptions<Row>["columns"] | undefined;
  #space: RowRenderOptions<Row>["columnLayout"] | undefined;
  #shown: RowRenderOptions<Row>["visibleColumns"] | undefined;

  /** @param contentWidth returns the width that the rendered content of a column needs */
  constructor(
    { onResize = () => {}, onFitWidth = () => {} }: Pick<GridOptions<Row>, "onResize" | "onFitWidth">,
    contentWidth: (column: number) => number,
  ) {
    this.corner = h(
      "div",
      { role: "columnheader", class: "corner", "aria-colindex": 1 },
      h("span", { class: "unseen" }, t("base.grid.row")),
    );
    this.element = h("div", { role: "row", class: "head", "aria-rowindex": 1 }, this.corner);
    this.element.addEventListener("pointerdown", (event) => startResizing(event, onResize));
    this.element.addEventListener("dblclick", (event) => {
      const column = edgeColumn(event.target);
      if (column === undefined) return;
      event.stopPropagation();
      onFitWidth(column, contentWidth(column));
    });
  }

  draw(renderOptions: RowRenderOptions<Row>): void {
    const { columns, columnLayout, headerWidth } = renderOptions;
    const columnsChanged = columns !== this.#columns;
    if (!columnsChanged && renderOptions.visibleColumns === this.#shown) return;
    if (columnLayout !== this.#space) this.#setSnapStart(headerWidth + columnLayout.frozenWidth);
    placeCells(this, {
      columnLayout,
      visibleColumns: renderOptions.visibleColumns.filter((at) => columns[at] !== undefined),
      headerWidth,
      haveMoved: columnLayout !== this.#space,
      make: (at) => h("div", { role: "columnheader", class: "column-head", tabindex: -1, "aria-colindex": at + 2 }),
      onPlaced(cell, at, isNew) {
        const column = columns[at];
        if (!column || (!isNew && !columnsChanged)) return;
        replaceChildren(cell);
        column.drawHeader(cell);
        cell.append(h("span", { class: "edge", "data-column": at, "aria-hidden": "true" }));
        if (column.sort) cell.setAttribute("aria-sort", column.sort);
        else cell.removeAttribute("aria-sort");
      },
    });
    this.#columns = columns;
    this.#space = columnLayout;
    this.#shown = renderOptions.visibleColumns;
  }

  /** Where the edge of a column stops after a swipe: right of what does not scroll. */
  #setSnapStart(px: number): void {
    this.element.closest<HTMLElement>(".grid")?.style.setProperty("--snap-start", `${px}px`);
  }
}

const MIN_WIDTH_PX = 48;
const MAX_WIDTH_PX = 1200;

const edgeColumn = (target: EventTarget | null): number | undefined =>
  target instanceof HTMLElement && target.dataset["column"] !== undefined
    ? Number(target.dataset["column"])
    : undefined;

/** @param onResize called while the user drags a column's edge; `isDone` at the end */
function startResizing(event: PointerEvent, onResize: (column: number, width: number, isDone: boolean) => void): void {
  const column = edgeColumn(event.target);
  if (column === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const startWidth = (event.target as HTMLElement).parentElement?.offsetWidth ?? 0;
  const startX = event.clientX;
  let width = startWidth;
  const move = (moved: PointerEvent) => {
    width = Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, startWidth + moved.clientX - startX));
    onResize(column, width, false);
  };
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    if (width !== startWidth) onResize(column, width, true);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

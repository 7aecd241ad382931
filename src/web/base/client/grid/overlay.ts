import type { RowRenderOptions } from "./row-element.ts";
import type { RowLayout } from "./row-layout.ts";
import { type CellPosition, HEADER_ROW } from "./selection.ts";

/** The grid whose cell an element covers. */
export interface OverlaidGrid<Row> {
  readonly element: HTMLElement;
  readonly headHeight: number;
  readonly layout: RowLayout;
  readonly renderOptions: RowRenderOptions<Row>;
  readonly blankRow: number | null;
}

/** An element over a cell, such as its editor, which follows the cell. */
export class Overlay {
  #shown: { readonly element: HTMLElement; readonly place: CellPosition } | undefined;
  /** It grows with its content, such as a message. */
  readonly #size: ResizeObserver;

  constructor(onResize: () => void) {
    this.#size = new ResizeObserver(onResize);
  }

  /** The cell; undefined while nothing is shown. */
  get place(): CellPosition | undefined {
    return this.#shown?.place;
  }

  show(place: CellPosition, element: HTMLElement): void {
    this.#shown = { place, element };
    this.#size.observe(element);
  }

  moveTo(place: CellPosition): void {
    if (this.#shown) this.#shown = { ...this.#shown, place };
  }

  hide(): void {
    this.#size.disconnect();
    this.#shown?.element.remove();
    this.#shown = undefined;
  }

  /** Places the element over its cell, within the part of the grid that is in view. */
  draw<Row>({ element: grid, headHeight, layout, renderOptions, blankRow }: OverlaidGrid<Row>): void {
    if (!this.#shown) return;
    const { element, place } = this.#shown;
    const { columnLayout, headerWidth } = renderOptions;
    const { scrollTop, scrollLeft, clientWidth } = grid;
    element.style.minWidth = `${columnLayout.widthOf(place.column)}px`;
    const { offsetHeight, offsetWidth } = element;
    const isHeader = place.row === HEADER_ROW;
    const inBody = place.row === blankRow ? layout.height : layout.topOf(place.row, scrollTop);
    const top = isHeader ? scrollTop : headHeight + inBody;
    const bottom = top + (isHeader ? headHeight : layout.rowHeight);
    const viewTop = scrollTop + (isHeader ? 0 : headHeight);
    const viewBottom = headHeight + scrollTop + layout.viewport;
    // Without room below its row it is placed above it, without room to the right it ends at the right edge.
    const isAbove = top + offsetHeight > viewBottom && bottom - offsetHeight > viewTop;
    const left = headerWidth + columnLayout.shownLeft(place.column, scrollLeft);
    const end = Math.max(scrollLeft, scrollLeft + clientWidth - offsetWidth);
    element.style.transform = `translate(${Math.min(left, end)}px, ${isAbove ? bottom - offsetHeight : top}px)`;
  }
}

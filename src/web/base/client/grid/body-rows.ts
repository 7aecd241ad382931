import { h } from "../dom.ts";
import type { RowSource } from "./grid-source.ts";
import { type DrawGroup, GroupRows } from "./group-rows.ts";
import type { RowLayout } from "./row-layout.ts";
import { RowElement, type RowRenderOptions } from "./row-element.ts";

/** Rows rendered ahead of scrolling (overscan); none while scrolling too fast for them to be of use. */
const OVERSCAN_ROWS = 6;

export interface BodyDrawing<Row> {
  readonly source: RowSource<Row>;
  readonly layout: RowLayout;
  readonly renderOptions: RowRenderOptions<Row>;
  readonly scrollTop: number;
  /** The first and last row in view. */
  readonly inView: { readonly first: number; readonly last: number };
  /** Stays rendered, or the focus would be lost. */
  readonly activeRow: number;
}

/** The rendered rows and group rows. */
export class BodyRows<Row> {
  /** Cells contain data. */
  readonly element = h("div", { class: "body", role: "rowgroup", translate: "no" });
  readonly rows = new Map<number, RowElement<Row>>();
  readonly groups: GroupRows<Row>;
  readonly #recycled: RowElement<Row>[] = [];
  /** The first row in view at the last rendering. */
  #firstDrawn = 0;

  constructor(drawGroup: DrawGroup<Row>) {
    this.groups = new GroupRows(drawGroup);
  }

  /** The row of an element of a row; undefined for other elements. */
  indexOf(element: Element): number | undefined {
    return [...this.rows].find(([, row]) => row.element === element)?.[0];
  }

  /** Returns true when rows outside of the view are still to be rendered: once scrolling slows down. */
  draw(drawing: BodyDrawing<Row>): boolean {
    const { first, last } = drawing.inView;
    const isFastScroll = Math.abs(first - this.#firstDrawn) > last - first;
    this.#firstDrawn = first;
    this.#drawRows(drawing, isFastScroll ? 0 : OVERSCAN_ROWS);
    this.#drawGroups(drawing);
    return isFastScroll;
  }

  #drawRows({ source, layout, renderOptions, scrollTop, inView, activeRow }: BodyDrawing<Row>, overscan: number): void {
    const { geometry } = layout;
    const from = Math.max(0, inView.first - overscan);
    const to = Math.min(source.count - 1, inView.last + overscan);
    const drawnIndexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at);
    if (activeRow >= 0 && activeRow < source.count) {
      if (activeRow < from) drawnIndexes.unshift(activeRow);
      else if (activeRow > to) drawnIndexes.push(activeRow);
    }
    const isDrawn = new Set(drawnIndexes);
    for (const [index, row] of this.rows) {
      if (isDrawn.has(index)) continue;
      row.element.remove();
      this.rows.delete(index);
      this.#recycled.push(row);
    }
    let next: ChildNode | null = this.element.firstChild;
    for (const index of drawnIndexes) {
      let row = this.rows.get(index);
      if (!row) this.rows.set(index, (row = this.#recycled.pop() ?? new RowElement<Row>()));
      const place = geometry ? { line: geometry.lineOf(index), number: geometry.offsetOf(index) + 1 } : null;
      row.draw(index, source.rowAt(index), { renderOptions, place });
      setStyleIfChanged(row.element, "transform", `translateY(${layout.topOf(index, scrollTop)}px)`);
      while (next instanceof Element && next.classList.contains("group-row")) next = next.nextSibling;
      if (next === row.element) next = next.nextSibling;
      else this.element.insertBefore(row.element, next);
    }
  }

  #drawGroups({ layout, renderOptions, scrollTop }: BodyDrawing<Row>): void {
    const { geometry } = layout;
    const top = layout.viewTop(scrollTop);
    const overscan = OVERSCAN_ROWS * layout.rowHeight;
    this.groups.draw({
      geometry,
      groups: geometry?.between(Math.max(0, top - overscan), top + layout.viewport + overscan).groups ?? [],
      sticky: geometry?.stickyAt(top) ?? [],
      renderOptions,
      placeOf: (offset) => layout.placeOf(offset, scrollTop),
      rowElement: (row) => this.rows.get(row)?.element,
      body: this.element,
    });
  }
}

/** Assigning an equal value still invalidates the style. */
export function setStyleIfChanged(element: HTMLElement, name: "height" | "width" | "transform", value: string): void {
  if (element.style[name] !== value) element.style[name] = value;
}

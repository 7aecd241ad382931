/** Positions of rows and columns. */
import type { RowGeometry } from "./row-geometry.ts";

/** About the maximum height of an element in browsers. */
const MAX_HEIGHT_PX = 15_000_000;

/**
 * Layout of rows of equal height, and of the group rows between them. When their total height exceeds the maximum of
 * browsers, one scrolled pixel represents more than one, and rows are placed relative to the viewport.
 */
export class RowLayout {
  rowHeight: number;
  count = 0;
  /** Where rows are that are in groups. */
  geometry: RowGeometry | null = null;
  /** Height of the visible rows in pixels. */
  viewport = 0;

  constructor(rowHeight: number) {
    this.rowHeight = rowHeight;
  }

  get #fullHeight(): number {
    return this.geometry ? this.geometry.height : this.count * this.rowHeight;
  }

  /** Offset of a row from the first one. */
  #offsetOf(row: number): number {
    return this.geometry ? this.geometry.topOf(row) : row * this.rowHeight;
  }

  /** Height of the scrolled element. */
  get height(): number {
    return Math.min(this.#fullHeight, MAX_HEIGHT_PX);
  }

  get #scale(): number {
    const full = this.#fullHeight;
    const { height } = this;
    return full === height ? 1 : (full - this.viewport) / (height - this.viewport);
  }

  /** The part of a scroll position that moves rows: below the last one there is room. */
  #withinRows(scrollTop: number): number {
    return Math.min(scrollTop, Math.max(0, this.height - this.viewport));
  }

  /** What is at the top of the view, as an offset from the first row. */
  viewTop(scrollTop: number): number {
    return this.#withinRows(scrollTop) * this.#scale;
  }

  /** The first and last row in view, whole or in part. */
  visibleRows(scrollTop: number): { first: number; last: number } {
    const top = this.viewTop(scrollTop);
    if (this.geometry) return this.geometry.between(top, top + this.viewport);
    const first = Math.max(0, Math.floor(top / this.rowHeight));
    const last = Math.min(this.count - 1, Math.floor((top + this.viewport - 1) / this.rowHeight));
    return { first: Math.min(first, Math.max(0, last)), last };
  }

  /** Offset of a row from the top of the scrolled element. */
  topOf(row: number, scrollTop: number): number {
    return this.placeOf(this.#offsetOf(row), scrollTop);
  }

  /** Converts an offset from the first row to one from the top of the scrolled element. */
  placeOf(offset: number, scrollTop: number): number {
    const stretch = this.#scale;
    const position = this.#withinRows(scrollTop);
    return stretch === 1 ? offset : offset - position * stretch + position;
  }

  /**
   * The scroll position that brings a row into view; unchanged when it already is.
   * @param covered height at the top of the view that group rows cover
   */
  scrollTo(row: number, scrollTop: number, covered = 0): number {
    return this.scrollToOffset(this.#offsetOf(row), this.rowHeight, { scrollTop, covered });
  }

  scrollToOffset(top: number, height: number, { scrollTop, covered }: { scrollTop: number; covered: number }): number {
    const stretch = this.#scale;
    const now = this.#withinRows(scrollTop) * stretch;
    if (top - covered < now) return Math.max(0, top - covered) / stretch;
    const end = top + height - this.viewport;
    return end > now ? end / stretch : scrollTop;
  }

  /** The scroll position at which a row is the first in view. */
  scrollTopOf(row: number): number {
    return this.#offsetOf(Math.max(0, row)) / this.#scale;
  }

  /** The scroll position that keeps rows in place when so many are inserted above. */
  scrollTopAfterShift(scrollTop: number, rows: number): number {
    return scrollTop + (rows * this.rowHeight) / this.#scale;
  }
}

/** Widths and positions of columns. */
export class ColumnLayout {
  /** Left edges of the columns, and the right edge of the last one. */
  #edges: number[] = [0];

  set(widths: readonly number[]): void {
    let edge = 0;
    this.#edges = [0, ...widths.map((width) => (edge += width))];
  }

  get count(): number {
    return this.#edges.length - 1;
  }

  get width(): number {
    return this.#edges.at(-1) ?? 0;
  }

  leftOf(column: number): number {
    return this.#edges[column] ?? 0;
  }

  widthOf(column: number): number {
    return this.leftOf(column + 1) - this.leftOf(column);
  }

  /** The first and last column in view, whole or in part. */
  visibleColumns(scrollLeft: number, viewport: number): { first: number; last: number } {
    let first = 0;
    while (first < this.count - 1 && this.leftOf(first + 1) <= scrollLeft) first++;
    let last = first;
    while (last < this.count - 1 && this.leftOf(last + 1) < scrollLeft + viewport) last++;
    return { first, last };
  }

  /** Returns the column at a distance in pixels from another one; at least the next one, if there is one. */
  columnFrom(column: number, distance: number): number {
    const { first } = this.visibleColumns(Math.max(0, this.leftOf(column) + distance), 0);
    const target = distance > 0 ? Math.max(first, column + 1) : Math.min(first, column - 1);
    return Math.max(0, Math.min(target, this.count - 1));
  }

  /** The scroll position that brings a column into view; unchanged when it already is. */
  scrollTo(column: number, scrollLeft: number, viewport: number): number {
    const left = this.leftOf(column);
    const right = this.leftOf(column + 1);
    if (left < scrollLeft || right - left > viewport) return left;
    return right > scrollLeft + viewport ? right - viewport : scrollLeft;
  }
}

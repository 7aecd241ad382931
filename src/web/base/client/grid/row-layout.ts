/** Positions of rows. */
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
    return this.geometry ? this.geometry.topOf(this.count) : this.count * this.rowHeight;
  }

  get groupHeight(): number {
    return this.geometry?.heights.group ?? 0;
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
    if (this.geometry) return this.#groupedRows(this.geometry, top);
    const first = Math.max(0, Math.floor(top / this.rowHeight));
    const last = Math.min(this.count - 1, Math.floor((top + this.viewport - 1) / this.rowHeight));
    return { first: Math.min(first, Math.max(0, last)), last };
  }

  /** Rows that were just added follow the last group. */
  #groupedRows(geometry: RowGeometry, top: number): { first: number; last: number } {
    const { first, last } = geometry.between(top, top + this.viewport);
    const added = Math.ceil((top + this.viewport - geometry.height) / this.rowHeight);
    if (added <= 0 || this.count <= geometry.rowCount) return { first, last };
    const end = Math.min(this.count, geometry.rowCount + added) - 1;
    return { first: first < 0 ? geometry.rowCount : first, last: end };
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

/** Positions of rows and columns. */

/** About the maximum height of an element in browsers. */
const MAX_HEIGHT_PX = 15_000_000;

/**
 * Layout of rows of equal height. When their total height exceeds the maximum of browsers, one scrolled pixel
 * represents more than one, and rows are placed relative to the viewport.
 */
export class RowLayout {
  readonly rowHeight: number;
  count = 0;
  /** Height of the visible rows in pixels. */
  viewport = 0;

  constructor(rowHeight: number) {
    this.rowHeight = rowHeight;
  }

  /** Height of the scrolled element. */
  get height(): number {
    return Math.min(this.count * this.rowHeight, MAX_HEIGHT_PX);
  }

  get #scale(): number {
    const full = this.count * this.rowHeight;
    const { height } = this;
    return full === height ? 1 : (full - this.viewport) / (height - this.viewport);
  }

  /** The first and last row in view, whole or in part. */
  visibleRows(scrollTop: number): { first: number; last: number } {
    const top = scrollTop * this.#scale;
    const first = Math.max(0, Math.floor(top / this.rowHeight));
    const last = Math.min(this.count - 1, Math.floor((top + this.viewport - 1) / this.rowHeight));
    return { first: Math.min(first, Math.max(0, last)), last };
  }

  /** Offset of a row from the top of the scrolled element. */
  topOf(row: number, scrollTop: number): number {
    const stretch = this.#scale;
    const top = row * this.rowHeight;
    return stretch === 1 ? top : top - scrollTop * stretch + scrollTop;
  }

  /** The scroll position that brings a row into view; unchanged when it already is. */
  scrollTo(row: number, scrollTop: number): number {
    const stretch = this.#scale;
    const top = row * this.rowHeight;
    const now = scrollTop * stretch;
    if (top < now) return top / stretch;
    const end = top + this.rowHeight - this.viewport;
    return end > now ? end / stretch : scrollTop;
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

  /** The scroll position that brings a column into view; unchanged when it already is. */
  scrollTo(column: number, scrollLeft: number, viewport: number): number {
    const left = this.leftOf(column);
    const right = this.leftOf(column + 1);
    if (left < scrollLeft || right - left > viewport) return left;
    return right > scrollLeft + viewport ? right - viewport : scrollLeft;
  }
}

/** Where rows and columns stand. */

/** Browsers make no element higher than about this. */
const MAX_HEIGHT_PX = 15_000_000;

/**
 * The heights of rows that are all alike. Where all of them together are too high for a browser, one pixel scrolled
 * stands for more than one, and rows are placed around what is in view.
 */
export class RowLayout {
  readonly rowHeight: number;
  count = 0;
  /** How much of the rows is in view, in pixels. */
  viewport = 0;

  constructor(rowHeight: number) {
    this.rowHeight = rowHeight;
  }

  /** Of what is scrolled. */
  get height(): number {
    return Math.min(this.count * this.rowHeight, MAX_HEIGHT_PX);
  }

  get #scale(): number {
    const full = this.count * this.rowHeight;
    const { height } = this;
    return full === height ? 1 : (full - this.viewport) / (height - this.viewport);
  }

  /** The first and the last row in view, whole or in part. */
  visibleRows(scrollTop: number): { first: number; last: number } {
    const top = scrollTop * this.#scale;
    const first = Math.max(0, Math.floor(top / this.rowHeight));
    const last = Math.min(this.count - 1, Math.floor((top + this.viewport - 1) / this.rowHeight));
    return { first: Math.min(first, Math.max(0, last)), last };
  }

  /** From the top of what is scrolled to a row. */
  topOf(row: number, scrollTop: number): number {
    const stretch = this.#scale;
    const top = row * this.rowHeight;
    return stretch === 1 ? top : top - scrollTop * stretch + scrollTop;
  }

  /** How far to scroll so that a row is in view; as it is where it is already. */
  scrollTo(row: number, scrollTop: number): number {
    const stretch = this.#scale;
    const top = row * this.rowHeight;
    const now = scrollTop * stretch;
    if (top < now) return top / stretch;
    const end = top + this.rowHeight - this.viewport;
    return end > now ? end / stretch : scrollTop;
  }

  /** How far to scroll so that rows stay where they are when so many come in above. */
  scrollTopAfterShift(scrollTop: number, rows: number): number {
    return scrollTop + (rows * this.rowHeight) / this.#scale;
  }
}

/** The widths of columns, beside each other. */
export class ColumnLayout {
  /** Where each column begins, and where the last one ends. */
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

  /** The first and the last column in view, whole or in part. */
  visibleColumns(scrollLeft: number, viewport: number): { first: number; last: number } {
    let first = 0;
    while (first < this.count - 1 && this.leftOf(first + 1) <= scrollLeft) first++;
    let last = first;
    while (last < this.count - 1 && this.leftOf(last + 1) < scrollLeft + viewport) last++;
    return { first, last };
  }

  /** How far to scroll so that a column is in view; as it is where it is already. */
  scrollTo(column: number, scrollLeft: number, viewport: number): number {
    const left = this.leftOf(column);
    const right = this.leftOf(column + 1);
    if (left < scrollLeft || right - left > viewport) return left;
    return right > scrollLeft + viewport ? right - viewport : scrollLeft;
  }
}

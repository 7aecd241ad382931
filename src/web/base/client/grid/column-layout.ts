/** Widths and positions of columns, of which some at the start may be frozen: they do not scroll. */
export class ColumnLayout {
  /** Number of columns at the start that do not scroll. */
  readonly frozen: number;
  /** Left edges of the columns, and the right edge of the last one. */
  readonly #edges: readonly number[];

  constructor(widths: readonly number[] = [], frozen = 0) {
    let edge = 0;
    this.#edges = [0, ...widths.map((width) => (edge += width))];
    this.frozen = Math.min(frozen, widths.length);
  }

  get count(): number {
    return this.#edges.length - 1;
  }

  get width(): number {
    return this.#edges.at(-1) ?? 0;
  }

  /** Width of the frozen columns, below which the others scroll. */
  get frozenWidth(): number {
    return this.leftOf(this.frozen);
  }

  leftOf(column: number): number {
    return this.#edges[column] ?? 0;
  }

  widthOf(column: number): number {
    return this.leftOf(column + 1) - this.leftOf(column);
  }

  isFrozen(column: number): boolean {
    return column < this.frozen;
  }

  /** Offset of a column from the first one, as it is shown at a scroll position. */
  shownLeft(column: number, scrollLeft: number): number {
    return this.leftOf(column) + (this.isFrozen(column) ? scrollLeft : 0);
  }

  /** The first and last column in view, whole or in part, of the scrolling columns. */
  visibleColumns(scrollLeft: number, viewport: number): { first: number; last: number } {
    const first = Math.max(this.frozen, this.columnAt(scrollLeft + this.frozenWidth));
    let last = first;
    while (last < this.count - 1 && this.leftOf(last + 1) < scrollLeft + viewport) last++;
    return { first, last };
  }

  /** Returns the columns to render: frozen ones, columns in view with one at each side, and the active one. */
  renderedColumns(scrollLeft: number, viewport: number, active: number): number[] {
    const { first, last } = this.visibleColumns(scrollLeft, viewport);
    const from = Math.max(this.frozen, first - 1);
    const to = Math.min(this.count - 1, last + 1);
    const rendered = new Set(Array.from({ length: this.frozen }, (_, at) => at));
    for (let at = from; at <= to; at++) rendered.add(at);
    // The active cell stays rendered, or the focus would be lost.
    if (active >= 0 && active < this.count) rendered.add(active);
    return [...rendered].toSorted((a, b) => a - b);
  }

  /** Returns the column at an offset from the first one. */
  columnAt(offset: number): number {
    let column = 0;
    while (column < this.count - 1 && this.leftOf(column + 1) <= offset) column++;
    return column;
  }

  /** Returns the column at a distance in pixels from another one; at least the next one, if there is one. */
  columnFrom(column: number, distance: number): number {
    const found = this.columnAt(Math.max(0, this.leftOf(column) + distance));
    const target = distance > 0 ? Math.max(found, column + 1) : Math.min(found, column - 1);
    return Math.max(0, Math.min(target, this.count - 1));
  }

  /** The scroll position that brings a column into view; unchanged when it already is. */
  scrollTo(column: number, scrollLeft: number, viewport: number): number {
    if (this.isFrozen(column)) return scrollLeft;
    const left = this.leftOf(column) - this.frozenWidth;
    const right = this.leftOf(column + 1);
    if (left < scrollLeft || right - left > viewport) return left;
    return right > scrollLeft + viewport ? right - viewport : scrollLeft;
  }
}

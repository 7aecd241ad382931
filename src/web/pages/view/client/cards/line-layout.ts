/** Positions of lines of cards, whose heights are known only once they have been in view. */

/** About the maximum height of an element in browsers. */
const MAX_HEIGHT_PX = 15_000_000;

/**
 * Layout of lines of different heights: lines that have not been measured count with an estimate. When the total exceeds
 * the maximum of browsers, one scrolled pixel represents more than one, and lines are placed relative to the viewport.
 */
export class LineLayout {
  count = 0;
  /** Height of the visible lines in pixels. */
  viewport = 0;
  #estimate: number;
  readonly #measured = new Map<number, number>();
  /** Measured lines in order, with the sum of what their heights add to the estimates. */
  #sums: { lines: number[]; added: number[] } | null = null;

  constructor(estimate: number) {
    this.#estimate = estimate;
  }

  /** Forgets all heights: lines are as wide, or as high, as others now. */
  reset(): void {
    const heights = [...this.#measured.values()];
    if (heights.length > 0) this.#estimate = heights.reduce((sum, height) => sum + height, 0) / heights.length;
    this.#measured.clear();
    this.#sums = null;
  }

  /** Notes the heights of lines. Returns true if one has changed. */
  measure(heights: ReadonlyMap<number, number>): boolean {
    // The first lines are the best estimate for all others.
    if (this.#measured.size === 0 && heights.size > 0)
      this.#estimate = [...heights.values()].reduce((sum, height) => sum + height, 0) / heights.size;
    let isChanged = false;
    for (const [line, height] of heights) {
      if (this.#measured.get(line) === height) continue;
      this.#measured.set(line, height);
      isChanged = true;
    }
    if (isChanged) this.#sums = null;
    return isChanged;
  }

  heightOf(line: number): number {
    return this.#measured.get(line) ?? this.#estimate;
  }

  /** Offset of a line from the first one. */
  offsetOf(line: number): number {
    const { lines, added } = (this.#sums ??= this.#sumUp());
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle] ?? 0) < line) low = middle + 1;
      else high = middle;
    }
    return line * this.#estimate + (added[low - 1] ?? 0);
  }

  #sumUp(): { lines: number[]; added: number[] } {
    const lines = [...this.#measured.keys()].toSorted((a, b) => a - b);
    let sum = 0;
    return { lines, added: lines.map((line) => (sum += this.heightOf(line) - this.#estimate)) };
  }

  /** The line at an offset from the first one. */
  lineAt(offset: number): number {
    let [low, high] = [0, Math.max(0, this.count - 1)];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsetOf(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  get #fullHeight(): number {
    return this.offsetOf(this.count);
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

  #within(scrollTop: number): number {
    return Math.max(0, Math.min(scrollTop, this.height - this.viewport));
  }

  /** What is at the top of the view, as an offset from the first line. */
  viewTop(scrollTop: number): number {
    return this.#within(scrollTop) * this.#scale;
  }

  /** The scroll position that shows an offset at the top of the view. */
  scrollTopOf(offset: number): number {
    return this.#within(offset / this.#scale);
  }

  /** The first and last line in view, whole or in part. */
  visibleLines(scrollTop: number): { first: number; last: number } {
    const top = this.viewTop(scrollTop);
    return { first: this.lineAt(top), last: Math.min(this.count - 1, this.lineAt(top + this.viewport)) };
  }

  /** Offset of a line from the top of the scrolled element. */
  topOf(line: number, scrollTop: number): number {
    return this.offsetOf(line) - this.viewTop(scrollTop) + this.#within(scrollTop);
  }

  /** The scroll position that brings a line into view; unchanged when it already is. */
  scrollTo(line: number, scrollTop: number): number {
    const top = this.offsetOf(line);
    const now = this.viewTop(scrollTop);
    const end = top + this.heightOf(line) - this.viewport;
    // The beginning of a line that is higher than the view matters more than its end.
    if (top < now || end > top) return this.scrollTopOf(top);
    return end > now ? this.scrollTopOf(end) : scrollTop;
  }
}

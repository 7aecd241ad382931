/** Scrolling counts as stopped after this time. */
const SCROLL_IDLE_MS = 300;
/** Initial estimate of the response time for many pages. */
const DEFAULT_RESPONSE_S = 0.2;
/** Smaller responses say nothing about the response time for many pages. */
const MIN_MEASURED_PAGES = 5;

/** How many rows are scrolled past until the response to a request arrives. */
export class ScrollSpeed {
  #scroll = { at: 0, row: 0, rowsPerS: 0 };
  /** Smoothed response time for many pages. */
  #responseS = DEFAULT_RESPONSE_S;

  /** Negative towards the first row; 0 after a pause or a jump. */
  get rowsPerResponse(): number {
    const isIdle = performance.now() - this.#scroll.at > SCROLL_IDLE_MS;
    return isIdle ? 0 : this.#scroll.rowsPerS * this.#responseS;
  }

  /** Notes the first row in view. The speed is smoothed, and unknown after a pause or a jump. */
  measure(first: number): void {
    const now = performance.now();
    const { at, row, rowsPerS } = this.#scroll;
    const passedMs = now - at;
    if (passedMs < 8) return;
    const current = ((first - row) * 1000) / passedMs;
    const smoothed = rowsPerS === 0 ? current : rowsPerS * 0.4 + current * 0.6;
    this.#scroll = { at: now, row: first, rowsPerS: passedMs > SCROLL_IDLE_MS ? 0 : smoothed };
  }

  /**
   * Slowing down takes effect immediately, accelerating gradually: rows predicted too near are scrolled past and stay
   * blank.
   */
  recordResponse(pages: number, durationS: number): void {
    if (durationS > this.#responseS) this.#responseS = durationS;
    else if (pages >= MIN_MEASURED_PAGES) this.#responseS = this.#responseS * 0.6 + durationS * 0.4;
  }
}

/** The size of the first batch: enough for most requests, acceptable when each row is a megabyte. */
const FIRST_ROWS = 128;
const MAX_ROWS = 4096;
/** The target size of a batch, in characters. */
const TARGET_CHARACTERS = 98_304;

/** Adapts the number of rows per read to their size. */
export class BatchSizer {
  size = FIRST_ROWS;
  readonly #maxRows: number;

  constructor(maxRows = MAX_ROWS) {
    this.#maxRows = maxRows;
  }

  /** Records how many characters this many rows produced. */
  record(rows: number, characters: number): void {
    const fittingRows = Math.floor(TARGET_CHARACTERS / Math.max(1, characters / rows));
    this.size = Math.max(1, Math.min(fittingRows, this.size * 16, this.#maxRows));
  }
}

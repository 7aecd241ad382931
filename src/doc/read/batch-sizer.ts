/** How many rows the first portion has: enough for most requests, bearable when each row is a megabyte. */
const FIRST_ROWS = 128;
const MAX_ROWS = 4096;
/** How much a portion should give, in characters. */
const TARGET_CHARACTERS = 98_304;

/** How many rows to read at a time, found out from how large they turn out to be. */
export class BatchSizer {
  size = FIRST_ROWS;

  /** To be told how many characters so many rows gave. */
  record(rows: number, characters: number): void {
    const fittingRows = Math.floor(TARGET_CHARACTERS / Math.max(1, characters / rows));
    this.size = Math.max(1, Math.min(fittingRows, this.size * 16, MAX_ROWS));
  }
}

/** How many rows the first portion has: enough for most requests, bearable when each row is a megabyte. */
const FIRST = 128;
const MOST = 4096;
/** How much a portion should give, in characters. */
const TARGET = 98_304;

/** How many rows to read at a time, found out from how large they turn out to be. */
export class Portions {
  size = FIRST;

  /** To be told how many characters so many rows gave. */
  measured(rows: number, characters: number): void {
    const fitting = Math.floor(TARGET / Math.max(1, characters / rows));
    this.size = Math.max(1, Math.min(fitting, this.size * 16, MOST));
  }
}

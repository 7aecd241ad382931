/** Rows that follow each other, ends included. */
export interface RowRange {
  readonly top: number;
  readonly bottom: number;
}

/** Returns ranges in order, with adjacent ones as one. */
export function mergeRanges(ranges: readonly RowRange[]): RowRange[] {
  const merged: RowRange[] = [];
  for (const { top, bottom } of ranges.toSorted((a, b) => a.top - b.top)) {
    const last = merged.at(-1);
    if (!last || top > last.bottom + 1) merged.push({ top, bottom });
    else merged[merged.length - 1] = { top: last.top, bottom: Math.max(last.bottom, bottom) };
  }
  return merged;
}

/** Returns ranges without a row. */
export const withoutRow = (ranges: readonly RowRange[], row: number): RowRange[] =>
  ranges.flatMap(({ top, bottom }) =>
    hasRow([{ top, bottom }], row)
      ? [
          { top, bottom: row - 1 },
          { top: row + 1, bottom },
        ].filter((part) => part.top <= part.bottom)
      : [{ top, bottom }],
  );

export const hasRow = (ranges: readonly RowRange[], row: number): boolean =>
  ranges.some(({ top, bottom }) => row >= top && row <= bottom);

export const countRows = (ranges: readonly RowRange[]): number =>
  ranges.reduce((sum, { top, bottom }) => sum + bottom - top + 1, 0);

/** Narrower grids freeze one column at most, as on phones. */
const NARROW_PX = 640;
/** The largest part of the width that frozen columns take: the rest scrolls. */
const SHARE = 0.6;
const NARROW_SHARE = 0.4;

export interface FrozenColumns {
  readonly widths: readonly number[];
  /** Columns at the start that do not scroll. */
  readonly frozen: number;
}

/** Returns how many of the columns to freeze are frozen in a grid of this width; the first one may be narrower then. */
export function fitFrozen(widths: readonly number[], frozen: number, gridWidth: number): FrozenColumns {
  if (frozen === 0 || gridWidth === 0 || widths.length < 2) return { widths, frozen: 0 };
  const isNarrow = gridWidth < NARROW_PX;
  const available = Math.floor(gridWidth * (isNarrow ? NARROW_SHARE : SHARE));
  const [first = 0, ...others] = widths;
  if (first >= available) return { widths: [available, ...others], frozen: 1 };
  const most = isNarrow ? 1 : Math.min(frozen, widths.length - 1);
  let count = 1;
  let width = first;
  while (count < most && width + (widths[count] ?? 0) <= available) width += widths[count++] ?? 0;
  return { widths, frozen: count };
}

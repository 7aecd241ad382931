/** As in the style sheets: higher for touch. */
const HEIGHTS = matchMedia("(pointer: coarse), (max-width: 40rem)").matches
  ? { row: 44, group: 44 }
  : { row: 34, group: 36 };

export const GROUP_HEIGHT_PX = HEIGHTS.group;

/** Several lines of text, and the space around them. */
export const rowHeight = (lines: number): number => (lines === 1 ? HEIGHTS.row : 20 * lines + 14);

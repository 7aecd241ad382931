/** Returns the width that the content of some cells needs in one line. */
export function contentWidth(grid: HTMLElement, cells: readonly HTMLElement[]): number {
  // Cells have a fixed width, which this class lifts.
  grid.classList.add("measuring");
  const widths = cells.map((cell) => Math.ceil(cell.getBoundingClientRect().width));
  grid.classList.remove("measuring");
  return Math.max(0, ...widths);
}

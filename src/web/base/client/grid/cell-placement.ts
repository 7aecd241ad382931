import type { ColumnLayout } from "./layout.ts";

/** A line of the grid: a row, or the heads of the columns. */
export interface GridRow {
  readonly element: HTMLElement;
  /** What stands before the cells. */
  readonly corner: HTMLElement;
  /** By the places of their columns. */
  readonly cells: Map<number, HTMLElement>;
}

export interface CellPlacement {
  readonly columnLayout: ColumnLayout;
  /** The columns to be there, in their order. */
  readonly visibleColumns: readonly number[];
  readonly headerWidth: number;
  /** Whether columns may have moved since the cells were placed. */
  readonly haveMoved: boolean;
  make(column: number): HTMLElement;
  /** Told of each cell in its place. */
  onPlaced(cell: HTMLElement, column: number, isNew: boolean): void;
}

/** Puts the cells of the shown columns into a line, in their order, and takes all others out. */
export function placeCells({ element, corner, cells }: GridRow, placing: CellPlacement): void {
  const { columnLayout, visibleColumns, headerWidth, haveMoved, make, onPlaced } = placing;
  const visible = new Set(visibleColumns);
  for (const [at, cell] of cells) {
    if (visible.has(at)) continue;
    cell.remove();
    cells.delete(at);
  }
  // Only what is new is put in: the cell that has the focus must not be moved, or it loses it.
  let next: ChildNode | null = corner.nextSibling;
  for (const at of visibleColumns) {
    const existing = cells.get(at);
    const cell = existing ?? make(at);
    cells.set(at, cell);
    if (next === cell) next = cell.nextSibling;
    else element.insertBefore(cell, next);
    if (!existing || haveMoved) {
      cell.style.left = `${headerWidth + columnLayout.leftOf(at)}px`;
      cell.style.width = `${columnLayout.widthOf(at)}px`;
    }
    onPlaced(cell, at, !existing);
  }
}

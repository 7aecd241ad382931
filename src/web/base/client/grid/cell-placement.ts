import type { ColumnLayout } from "./column-layout.ts";

/** A line of the grid: a row, or the column headers. */
export interface GridRow {
  readonly element: HTMLElement;
  /** The element before the cells. */
  readonly corner: HTMLElement;
  /** By column position. */
  readonly cells: Map<number, HTMLElement>;
}

export interface CellPlacement {
  readonly columnLayout: ColumnLayout;
  /** The rendered columns, in order. */
  readonly visibleColumns: readonly number[];
  readonly headerWidth: number;
  /** Whether columns may have moved since the cells were placed. */
  readonly haveMoved: boolean;
  make(column: number): HTMLElement;
  /** Called for each placed cell. */
  onPlaced(cell: HTMLElement, column: number, isNew: boolean): void;
}

/** Puts the cells of the rendered columns into a line, in order, and removes all others. */
export function placeCells({ element, corner, cells }: GridRow, placing: CellPlacement): void {
  const { columnLayout, visibleColumns, headerWidth, haveMoved, make, onPlaced } = placing;
  const visible = new Set(visibleColumns);
  for (const [at, cell] of cells) {
    if (visible.has(at)) continue;
    cell.remove();
    cells.delete(at);
  }
  // Inserts only new cells: moving the focused cell would make it lose the focus.
  let next: ChildNode | null = corner.nextSibling;
  for (const at of visibleColumns) {
    const existing = cells.get(at);
    const cell = existing ?? make(at);
    cells.set(at, cell);
    if (next === cell) next = cell.nextSibling;
    else element.insertBefore(cell, next);
    if (!existing || haveMoved) {
      cell.classList.toggle("frozen", columnLayout.isFrozen(at));
      cell.style.left = `${headerWidth + columnLayout.leftOf(at)}px`;
      cell.style.width = `${columnLayout.widthOf(at)}px`;
    }
    onPlaced(cell, at, !existing);
  }
}

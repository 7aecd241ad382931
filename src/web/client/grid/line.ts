import type { ColumnSpace } from "./space.ts";

/** A line of the grid: a row, or the heads of the columns. */
export interface Line {
  readonly element: HTMLElement;
  /** What stands before the cells. */
  readonly head: HTMLElement;
  /** By the places of their columns. */
  readonly cells: Map<number, HTMLElement>;
}

export interface Placing {
  readonly space: ColumnSpace;
  /** The columns to be there, in their order. */
  readonly shown: readonly number[];
  readonly headWidth: number;
  /** Whether columns may have moved since the cells were placed. */
  readonly areElsewhere: boolean;
  make(column: number): HTMLElement;
  /** Told of each cell in its place. */
  placed(cell: HTMLElement, column: number, isNew: boolean): void;
}

/** Puts the cells of the shown columns into a line, in their order, and takes all others out. */
export function placeCells({ element, head, cells }: Line, placing: Placing): void {
  const { space, shown, headWidth, areElsewhere, make, placed } = placing;
  const wanted = new Set(shown);
  for (const [at, cell] of cells) {
    if (wanted.has(at)) continue;
    cell.remove();
    cells.delete(at);
  }
  // Only what is new is put in: the cell that has the focus must not be moved, or it loses it.
  let next: ChildNode | null = head.nextSibling;
  for (const at of shown) {
    const known = cells.get(at);
    const cell = known ?? make(at);
    cells.set(at, cell);
    if (next === cell) next = cell.nextSibling;
    else element.insertBefore(cell, next);
    if (!known || areElsewhere) {
      cell.style.left = `${headWidth + space.leftOf(at)}px`;
      cell.style.width = `${space.widthOf(at)}px`;
    }
    placed(cell, at, !known);
  }
}

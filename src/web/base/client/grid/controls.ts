import type { Grid } from "./grid.ts";
import { HEADER_ROW, type CellPosition } from "./selection.ts";

/** Commands of keys and the pointer, besides navigation. */
export interface GridCommands {
  /** Edits the active cell; `typed` is the start of the new value, null keeps the old one. */
  edit(typed: string | null): void;
  /** Clears the selected cells. */
  clear(): void;
  /** Opens the menu of a column, or of a row. */
  openMenu(place: CellPosition, at: { x: number; y: number } | null): void;
  /** Opens the row in a panel. */
  openRow(row: number): void;
  undo(): void;
  redo(): void;
  /** Inserts rows below, or deletes rows. */
  addRow(): void;
  removeRows(): void;
}

/** Adds keyboard and pointer control to a grid of `count()` rows. */
export function attachGridControls<Row>(grid: Grid<Row>, commands: GridCommands, count: () => number): void {
  const { element } = grid;
  element.addEventListener("keydown", (event) => {
    if (!grid.positionOf(event.target) || event.target instanceof HTMLInputElement) return;
    if (handleKey(event, grid, { commands, count: count() })) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  element.addEventListener("pointerdown", (event) => handlePointer(event, grid));
  attachTouchControls(grid, commands);
  element.addEventListener("dblclick", (event) => {
    const place = grid.positionOf(event.target);
    if (place && place.row >= 0 && place.column >= 0) commands.edit(null);
    if (place && place.row >= 0 && place.column < 0) commands.openRow(place.row);
  });
  element.addEventListener("contextmenu", (event) => {
    const place = grid.positionOf(event.target);
    if (!place) return;
    event.preventDefault();
    commands.openMenu(place, { x: event.clientX, y: event.clientY });
  });
}

/** A tap selects a cell, a second one edits it; a tap on a row number opens the row. */
function attachTouchControls<Row>(grid: Grid<Row>, commands: GridCommands): void {
  const { element } = grid;
  // A tap focuses the cell before its click event: whether it was focused must be recorded before.
  let wasActive = false;
  element.addEventListener("pointerdown", (event) => {
    const place = grid.positionOf(event.target);
    const { active } = grid.selection;
    wasActive = grid.hasFocus && active.row === place?.row && active.column === place.column;
  });
  element.addEventListener("click", (event) => {
    const place = grid.positionOf(event.target);
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    if (!place || !isTouch || (event.target as Element).closest("button, input, a")) return;
    if (place.column < 0) {
      if (place.row >= 0) commands.openRow(place.row);
      return;
    }
    grid.activate(place);
    if (wasActive && place.row >= 0) commands.edit(null);
  });
}

interface KeyContext {
  readonly commands: GridCommands;
  readonly count: number;
}

/** Returns true when the key was handled. */
function handleKey<Row>(event: KeyboardEvent, grid: Grid<Row>, { commands, count }: KeyContext): boolean {
  const { active, isRows } = grid.selection;
  const isControl = event.ctrlKey || event.metaKey;
  const to = navigationTarget(event, grid, count);
  if (to) {
    grid.activate(to, { extend: event.shiftKey });
    return true;
  }
  const isHead = active.row === HEADER_ROW;
  switch (event.key) {
    case "Enter":
      if (isControl) commands.addRow();
      else if (isHead) commands.openMenu(active, null);
      else if (event.shiftKey) commands.openRow(active.row);
      else commands.edit(null);
      return true;
    case "F2":
      if (!isHead) commands.edit(null);
      return true;
    case "ContextMenu":
      commands.openMenu(active, null);
      return true;
    case "F10":
      if (event.shiftKey) commands.openMenu(active, null);
      return event.shiftKey;
    case "Delete":
    case "Backspace":
      if (isControl || isRows) commands.removeRows();
      else if (!isHead) commands.clear();
      return true;
    case " ":
      if (event.shiftKey) {
        grid.selection.selectRow(active.row, { extend: false });
        grid.selectionChanged();
      } else if (isHead) commands.openMenu(active, null);
      else commands.edit(" ");
      return true;
    default:
      return isControl ? handleControlKey(event, grid, { commands, count }) : handleTypedKey(event, grid, commands);
  }
}

function handleControlKey<Row>(event: KeyboardEvent, grid: Grid<Row>, { commands, count }: KeyContext): boolean {
  switch (event.key.toLowerCase()) {
    case "a":
      grid.selection.selectAll(count);
      grid.selectionChanged();
      return true;
    case "z":
      if (event.shiftKey) commands.redo();
      else commands.undo();
      return true;
    case "y":
      commands.redo();
      return true;
    default:
      return false;
  }
}

function handleTypedKey<Row>(event: KeyboardEvent, grid: Grid<Row>, commands: GridCommands): boolean {
  if (event.key.length !== 1 || event.altKey || grid.selection.active.row === HEADER_ROW) return false;
  commands.edit(event.key);
  return true;
}

/** Returns the target of a navigation key; undefined for other keys. */
function navigationTarget<Row>(event: KeyboardEvent, grid: Grid<Row>, count: number): CellPosition | undefined {
  const { selection } = grid;
  const { row, column } = event.shiftKey ? selection.opposite : selection.active;
  const isControl = event.ctrlKey || event.metaKey;
  const end = count - 1;
  const right = grid.columns.length - 1;
  const { first, last } = grid.rowsInView;
  const page = Math.max(1, last - first - 1);
  const down = (by: number): CellPosition => ({ row: Math.min(end, Math.max(row, HEADER_ROW) + by), column });
  const up = (by: number): CellPosition => ({ row: Math.max(event.shiftKey ? 0 : HEADER_ROW, row - by), column });
  switch (event.key) {
    case "ArrowDown":
      return event.altKey ? undefined : isControl ? { row: end, column } : down(1);
    case "ArrowUp":
      return isControl ? { row: 0, column } : up(1);
    case "ArrowLeft":
      return { row, column: isControl ? 0 : Math.max(0, column - 1) };
    case "ArrowRight":
      return { row, column: isControl ? right : Math.min(right, column + 1) };
    case "Home":
      return isControl ? { row: 0, column: 0 } : { row, column: 0 };
    case "End":
      return isControl ? { row: end, column: right } : { row, column: right };
    case "PageDown":
      return down(page);
    case "PageUp":
      return { row: Math.max(0, row - page), column };
    default:
      return undefined;
  }
}

function handlePointer<Row>(event: PointerEvent, grid: Grid<Row>): void {
  const place = grid.positionOf(event.target);
  if (!place || event.button !== 0 || (event.target as Element).closest("button, input, a")) return;
  if (place.row === HEADER_ROW) return;
  if (place.column < 0) {
    grid.selection.selectRow(place.row, { extend: event.shiftKey });
    grid.selectionChanged();
    grid.focus();
    return;
  }
  const isTouch = event.pointerType === "touch";
  // Touch scrolls first: only a tap, which arrives as a click, selects.
  if (isTouch) return;
  event.preventDefault();
  grid.activate(place, { extend: event.shiftKey });
  const move = (moved: PointerEvent) => {
    const over = grid.positionOf(document.elementFromPoint(moved.clientX, moved.clientY));
    if (over && over.row >= 0 && over.column >= 0) {
      grid.selection.extend(over);
      grid.selectionChanged();
    }
  };
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
}

import { commandOf, typedCharacter } from "../keys/key-table.ts";
import type { Grid } from "./grid.ts";
import {
  type CellCommand,
  GRID_KEYS,
  type GridCommand,
  type GridKeyMode,
  HEADER_COMMANDS,
  type HeaderCommand,
  type Move,
  MOVES,
} from "./grid-keys.ts";
import { HEADER_ROW, type CellPosition, nextInRange } from "./selection.ts";
import { attachTextInput } from "./text-input.ts";

/** Commands of keys and the pointer, besides navigation. */
export interface GridCommands {
  /** Edits the active cell; `typed` is the start of the new value, null keeps the old one. */
  edit(typed: string | null): void;
  /** Opens the menu of a column, or of a row. */
  openMenu(place: CellPosition, at: { x: number; y: number } | null): void;
  /** Opens the row in a panel. */
  openRow(row: number): void;
  /** Runs a command of a key. False leaves the key to the browser. */
  run(command: CellCommand): boolean;
  /** Runs a command of a column, on its header. False leaves the key to the browser. */
  runHeader?(command: HeaderCommand, column: number): boolean;
}

/** Adds keyboard and pointer control to a grid of `count()` rows. */
export function attachGridControls<Row>(grid: Grid<Row>, commands: GridCommands, count: () => number): void {
  const { element } = grid;
  element.addEventListener("keydown", (event) => {
    if (!grid.positionOf(event.target) || event.target instanceof HTMLInputElement || event.isComposing) return;
    if (handleKey(event, grid, { commands, count: count() })) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  element.addEventListener("pointerdown", (event) => handlePointer(event, grid));
  attachTextInput(grid, (typed) => commands.edit(typed));
  attachTouchControls(grid, commands);
  element.addEventListener("dblclick", (event) => {
    const place = grid.positionOf(event.target);
    if (place?.row === HEADER_ROW && place.column >= 0 && isPlain(event)) commands.runHeader?.("rename", place.column);
    if (place && place.row >= 0 && place.column >= 0) commands.edit(null);
    if (place && place.row >= 0 && place.column < 0 && place.row !== grid.blankRow) commands.openRow(place.row);
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
      if (place.row === grid.blankRow) grid.activate({ row: place.row, column: 0 });
      else if (place.row >= 0) commands.openRow(place.row);
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

export function keyModeOf<Row>({ selection }: Grid<Row>): GridKeyMode {
  if (selection.active.row === HEADER_ROW) return "header";
  if (selection.isRows) return "rows";
  return selection.isSingle ? "cell" : "range";
}

/** Returns true when the key was handled. */
function handleKey<Row>(event: KeyboardEvent, grid: Grid<Row>, context: KeyContext): boolean {
  const mode = keyModeOf(grid);
  const command = commandOf(GRID_KEYS, event, mode);
  if (command !== undefined) return runCommand(command, grid, { ...context, extend: event.shiftKey });
  const typed = typedCharacter(event);
  if (typed === undefined || mode === "header") return false;
  context.commands.edit(typed);
  return true;
}

/** Controls inside of a cell have a meaning of their own. */
const isPlain = ({ target }: Event): boolean => !(target as Element).closest("button, input, a, .edge, .fill-handle");

const isHeaderCommand = (command: string): command is HeaderCommand =>
  (HEADER_COMMANDS as readonly string[]).includes(command);

const isMove = (command: string): command is Move => (MOVES as readonly string[]).includes(command);

function runCommand<Row>(
  command: GridCommand | CellCommand | HeaderCommand,
  grid: Grid<Row>,
  { commands, count, extend }: KeyContext & { extend: boolean },
): boolean {
  const { selection } = grid;
  if (isMove(command)) {
    grid.activate(moveTarget(command, grid, { count, extend }), { extend });
    return true;
  }
  if (isHeaderCommand(command)) return commands.runHeader?.(command, selection.active.column) ?? false;
  if (command === "next" || command === "previous") return moveByTab(grid, command === "next" ? 1 : -1);
  if (command === "downInRange") {
    grid.activateWithin(nextInRange(selection.range(grid.columns.length), selection.active, "down"));
    return true;
  }
  if (command === "menu") {
    commands.openMenu(selection.active, null);
    return true;
  }
  if ((command === "selectRow" || command === "toggleRow") && selection.active.row === grid.blankRow) return true;
  if (command === "selectRow") selection.selectRow(selection.active.row, { extend: false });
  else if (command === "toggleRow") selection.toggleRow(selection.active.row);
  else if (command === "selectColumn") selection.selectAll(count, { isColumns: true });
  else if (command === "selectAll") selection.selectAll(count);
  else return commands.run(command);
  grid.selectionChanged();
  return true;
}

/** Moves inside of the selected range, or through all cells row by row; leaves the grid at its very first and last cell. */
function moveByTab<Row>(grid: Grid<Row>, step: 1 | -1): boolean {
  const { selection } = grid;
  const columns = grid.columns.length;
  if (!selection.isSingle) {
    grid.activateWithin(nextInRange(selection.range(columns), selection.active, step === 1 ? "right" : "left"));
    return true;
  }
  const { row, column } = selection.active;
  const index = row * columns + column + step;
  if (index < 0 || index >= (grid.lastRow + 1) * columns) return false;
  grid.activate({ row: Math.floor(index / columns), column: index % columns });
  return true;
}

function moveTarget<Row>(
  command: Move,
  grid: Grid<Row>,
  { count, extend }: { count: number; extend: boolean },
): CellPosition {
  const { selection } = grid;
  const { row, column } = extend ? selection.opposite : selection.active;
  // The blank row is a step below the last row.
  const bottom = count > 0 ? count - 1 : grid.lastRow;
  const right = grid.columns.length - 1;
  const { first, last } = grid.rowsInView;
  const page = Math.max(1, last - first - 1);
  switch (command) {
    case "up":
      return { row: Math.max(extend ? 0 : HEADER_ROW, row - 1), column };
    case "down":
      return { row: Math.min(extend ? bottom : grid.lastRow, row + 1), column };
    case "left":
      return { row, column: Math.max(0, column - 1) };
    case "right":
      return { row, column: Math.min(right, column + 1) };
    case "firstRow":
      return { row: 0, column };
    case "lastRow":
      return { row: bottom, column };
    case "firstColumn":
      return { row, column: 0 };
    case "lastColumn":
      return { row, column: right };
    case "firstCell":
      return { row: 0, column: 0 };
    case "lastCell":
      return { row: bottom, column: right };
    case "pageUp":
      return { row: Math.max(0, row - page), column };
    case "pageDown":
      return { row: Math.max(row, Math.min(bottom, Math.max(row, 0) + page)), column };
    case "pageLeft":
      return { row, column: grid.columnOneScreenFrom(column, -1) };
    case "pageRight":
      return { row, column: grid.columnOneScreenFrom(column, 1) };
    default:
      return command satisfies never;
  }
}

function handlePointer<Row>(event: PointerEvent, grid: Grid<Row>): void {
  const place = grid.positionOf(event.target);
  if (!place || event.button !== 0 || !isPlain(event)) return;
  if (place.row === HEADER_ROW) {
    // Keys are about this column then.
    if (place.column >= 0 && event.pointerType !== "touch") grid.activate(place);
    return;
  }
  if (place.row === grid.blankRow && place.column < 0) {
    event.preventDefault();
    grid.activate({ row: place.row, column: 0 });
    return;
  }
  if (place.column < 0) {
    // Otherwise the focus would leave the grid.
    if (event.pointerType !== "touch") event.preventDefault();
    if (event.ctrlKey || event.metaKey) grid.selection.toggleRow(place.row);
    else grid.selection.selectRow(place.row, { extend: event.shiftKey });
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
    if (over && over.row >= 0 && over.row !== grid.blankRow && over.column >= 0) {
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

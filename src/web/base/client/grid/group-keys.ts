import type { Grid } from "./grid.ts";
import type { RowGeometry } from "./row-geometry.ts";
import { HEADER_ROW } from "./selection.ts";

export interface GroupCommands {
  geometry(): RowGeometry | null;
  toggle(key: string): void;
  openMenu(key: string, button: HTMLElement): void;
}

/** Adds keys that move between rows and group rows, and those of group rows. */
export function attachGroupKeys<Row>(grid: Grid<Row>, commands: GroupCommands): void {
  const goTo = (geometry: RowGeometry, line: number): boolean => {
    const { column } = grid.selection.active;
    const target = geometry.atLine(line);
    if (!target) return false;
    if ("row" in target) grid.activate({ row: target.row, column });
    else grid.revealGroup(target.shown.group.key)?.focus({ preventScroll: true });
    return true;
  };
  const handle = (event: KeyboardEvent): boolean => {
    const geometry = commands.geometry();
    if (!geometry || event.ctrlKey || event.metaKey || event.altKey) return false;
    const key = grid.groupKeyOf(event.target);
    const shown = key === undefined ? undefined : geometry.find(key);
    if (!shown) return handleInRows(event, geometry);
    const button = event.target instanceof HTMLElement ? event.target : grid.element;
    const isMenu = event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey);
    if (isMenu) commands.openMenu(shown.group.key, button);
    else if (event.key === "ArrowDown") {
      if (!goTo(geometry, shown.line + 1))
        grid.activate({ row: geometry.rowCount, column: grid.selection.active.column });
    } else if (event.key === "ArrowUp" && shown.line === 0)
      grid.activate({ row: HEADER_ROW, column: grid.selection.active.column });
    else if (event.key === "ArrowUp") goTo(geometry, shown.line - 1);
    else if (event.key === "ArrowLeft" && !shown.isFolded) commands.toggle(shown.group.key);
    else if (event.key === "ArrowRight" && shown.isFolded) commands.toggle(shown.group.key);
    else return false;
    return true;
  };
  const handleInRows = (event: KeyboardEvent, geometry: RowGeometry): boolean => {
    const place = grid.positionOf(event.target);
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!place || step === 0 || event.shiftKey) return false;
    const line = place.row === HEADER_ROW ? -1 : geometry.lineOf(grid.selection.active.row);
    const target = geometry.atLine(line + step);
    return target !== undefined && "shown" in target && line + step >= 0 && goTo(geometry, line + step);
  };
  // Before the keys of rows, which know no group rows.
  grid.element.addEventListener(
    "keydown",
    (event) => {
      if (!handle(event)) return;
      event.preventDefault();
      event.stopPropagation();
    },
    { capture: true },
  );
}

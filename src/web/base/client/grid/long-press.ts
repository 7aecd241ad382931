import type { Grid } from "./grid.ts";
import type { CellPosition } from "./selection.ts";

const LONG_PRESS_MS = 500;
/** A finger moves a little while it is held down. */
const MAX_MOVED_PX = 10;

/** Opens the menu of a cell or row by a long press on touch screens, also in browsers without an event for it. */
export function attachLongPress<Row>(
  grid: Pick<Grid<Row>, "element" | "positionOf">,
  openMenu: (place: CellPosition, at: { x: number; y: number }) => void,
): void {
  const { element } = grid;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { x: 0, y: 0 };
  /** Browsers may report the same press as a context menu, and its end as a click. */
  let isHandled = false;
  const cancel = () => clearTimeout(timer);
  element.addEventListener("pointerdown", (event) => {
    cancel();
    isHandled = false;
    const place = grid.positionOf(event.target);
    if (event.pointerType !== "touch" || !event.isPrimary || !place || place.row < 0) return;
    start = { x: event.clientX, y: event.clientY };
    timer = setTimeout(() => {
      isHandled = true;
      openMenu(place, start);
    }, LONG_PRESS_MS);
  });
  element.addEventListener("pointermove", ({ clientX, clientY }) => {
    if (Math.hypot(clientX - start.x, clientY - start.y) > MAX_MOVED_PX) cancel();
  });
  for (const end of ["pointerup", "pointercancel", "scroll"]) element.addEventListener(end, cancel, { passive: true });
  const endHandled = (event: Event) => {
    cancel();
    if (!isHandled) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // The end of the press would be a click on the menu, which covers the cell.
  for (const name of ["contextmenu", "click", "touchend"]) element.addEventListener(name, endHandled, true);
}

import { h } from "../dom.ts";
import type { Grid } from "./grid.ts";
import { HEADER_ROW } from "./selection.ts";

/** Shorter movements are clicks. */
const DRAG_PX = 6;
/** Closer to an edge of the grid, dragging scrolls it. */
const EDGE_PX = 48;
const SCROLL_PX = 12;

/** Columns are moved by dragging their headers. `move` gets the column and the position that it takes. */
export function attachHeaderDrag<Row>(grid: Grid<Row>, move: (from: number, to: number) => void): void {
  grid.element.addEventListener("pointerdown", (event) => {
    const place = grid.positionOf(event.target);
    // A finger scrolls.
    if (place?.row !== HEADER_ROW || place.column < 0 || event.button !== 0 || event.pointerType === "touch") return;
    if ((event.target as Element).closest("button, input, a, .edge")) return;
    drag(event, grid, { from: place.column, move });
  });
}

interface Dragging {
  readonly from: number;
  readonly move: (from: number, to: number) => void;
}

function drag<Row>(start: PointerEvent, grid: Grid<Row>, { from, move }: Dragging): void {
  const line = h("div", { class: "drop-line", "aria-hidden": "true" });
  let { clientX } = start;
  let gap: number | null = null;
  let frame = 0;
  const show = () => {
    frame = requestAnimationFrame(show);
    const by = scrollStep(grid.element.getBoundingClientRect(), clientX);
    if (by !== 0) grid.element.scrollLeft += by;
    const found = nearestGap(grid, clientX);
    if (!found) return;
    gap = found.gap;
    line.style.transform = `translate(${found.left}px, ${grid.element.scrollTop}px)`;
  };
  const follow = (event: PointerEvent) => {
    ({ clientX } = event);
    if (line.isConnected || Math.abs(clientX - start.clientX) < DRAG_PX) return;
    grid.element.classList.add("moving-column");
    grid.elementAt({ row: HEADER_ROW, column: from })?.classList.add("moved");
    grid.element.append(line);
    show();
  };
  const end = (event: Event) => {
    cancelAnimationFrame(frame);
    for (const [name, listener] of listeners) removeEventListener(name, listener as EventListener, true);
    grid.element.classList.remove("moving-column");
    grid.elementAt({ row: HEADER_ROW, column: from })?.classList.remove("moved");
    if (!line.isConnected) return;
    line.remove();
    const to = gap === null ? from : gap > from ? gap - 1 : gap;
    if (event.type === "pointerup" && to !== from) move(from, to);
  };
  const cancel = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !line.isConnected) return;
    event.preventDefault();
    event.stopPropagation();
    end(event);
  };
  const listeners = [
    ["pointermove", follow],
    ["pointerup", end],
    ["pointercancel", end],
    ["keydown", cancel],
  ] as const;
  for (const [name, listener] of listeners) addEventListener(name, listener as EventListener, true);
}

function scrollStep({ left, right }: DOMRect, clientX: number): number {
  if (clientX < left + EDGE_PX) return -SCROLL_PX;
  return clientX > right - EDGE_PX ? SCROLL_PX : 0;
}

/** Returns the number of the gap between columns that is nearest to a point, and its place in the scrolled element. */
function nearestGap<Row>(grid: Grid<Row>, clientX: number): { gap: number; left: number } | undefined {
  const box = grid.element.getBoundingClientRect();
  const gaps = grid.columns.flatMap((_, column) => {
    const header = grid.elementAt({ row: HEADER_ROW, column })?.getBoundingClientRect();
    return header
      ? [
          { gap: column, x: header.left },
          { gap: column + 1, x: header.right },
        ]
      : [];
  });
  const shown = gaps.filter(({ x }) => x >= box.left && x <= box.right);
  const nearest = shown.toSorted((a, b) => Math.abs(a.x - clientX) - Math.abs(b.x - clientX))[0];
  return nearest && { gap: nearest.gap, left: nearest.x - box.left + grid.element.scrollLeft };
}

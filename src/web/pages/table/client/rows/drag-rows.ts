import { h } from "../../../../base/client/dom.ts";
import type { GridSheet } from "../sheet.ts";
import type { RowMoves } from "./move-rows.ts";

/** Shorter movements are clicks. */
const DRAG_PX = 6;
/** Closer to an edge of the grid, dragging scrolls it. */
const EDGE_PX = 48;
const SCROLL_PX = 12;

export interface RowDrag {
  readonly sheet: GridSheet;
  readonly moves: RowMoves;
}

/** Moves the selected rows to the gap between rows at which the pointer is released. Escape cancels. */
export function dragRows(start: PointerEvent, { sheet, moves }: RowDrag): void {
  const { grid } = sheet;
  const line = h("div", { class: "drop-line across", "aria-hidden": "true" });
  let { clientY } = start;
  let gap: number | null = null;
  let frame = 0;
  const show = () => {
    frame = requestAnimationFrame(show);
    const box = grid.element.getBoundingClientRect();
    if (clientY < box.top + EDGE_PX) grid.element.scrollTop -= SCROLL_PX;
    else if (clientY > box.bottom - EDGE_PX) grid.element.scrollTop += SCROLL_PX;
    const found = gapAt(sheet, clientY);
    if (!found) return;
    gap = found.row;
    line.style.transform = `translateY(${found.y - box.top + grid.element.scrollTop}px)`;
  };
  const follow = (event: PointerEvent) => {
    ({ clientY } = event);
    if (line.isConnected || Math.abs(clientY - start.clientY) < DRAG_PX) return;
    grid.element.classList.add("moving-rows");
    grid.element.append(line);
    show();
  };
  const ended = new AbortController();
  const { signal } = ended;
  const end = () => {
    ended.abort();
    cancelAnimationFrame(frame);
    grid.element.classList.remove("moving-rows");
    line.remove();
  };
  const drop = () => {
    const isDragged = line.isConnected;
    end();
    if (isDragged && gap !== null) moves.moveTo(gap);
  };
  const cancel = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end();
  };
  window.addEventListener("pointermove", follow, { signal });
  window.addEventListener("pointerup", drop, { signal });
  window.addEventListener("pointercancel", end, { signal });
  window.addEventListener("keydown", cancel, { signal, capture: true });
}

/** Returns the row before which rows are dropped at a point, and its upper edge in the window. */
function gapAt({ grid, rowPages }: GridSheet, clientY: number): { row: number; y: number } | undefined {
  const box = grid.element.getBoundingClientRect();
  const { first, last } = grid.rowsInView;
  const edges = Array.from({ length: last - first + 1 }, (_, at) => first + at).flatMap((row) => {
    const element = grid.renderedRow(row)?.element.getBoundingClientRect();
    return element
      ? [
          { row, y: element.top },
          { row: row + 1, y: element.bottom },
        ]
      : [];
  });
  return edges
    .filter(({ row, y }) => row <= rowPages.count && y >= box.top && y <= box.bottom)
    .toSorted((a, b) => Math.abs(a.y - clientY) - Math.abs(b.y - clientY))[0];
}

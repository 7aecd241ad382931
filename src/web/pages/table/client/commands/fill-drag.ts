/** Dragging the fill handle: an outline and a label show which cells are filled, and with what. */
import { h, replaceChildren } from "../../../../base/client/dom.ts";
import type { CellPosition, CellRange } from "../../../../base/client/grid/selection.ts";
import { t } from "../../../../base/client/texts.ts";
import { cellValue } from "../columns/columns.ts";
import type { GridSheet } from "../sheet.ts";
import { applyFill, cellCount, chooseSeries, type FillContext, fillType, isFilled } from "./fill.ts";
import { fillValues } from "./fill-series.ts";

export { fillToNeighbour } from "./fill.ts";

/** At the edges of the table, dragging scrolls. */
const EDGE_PX = 24;
const SCROLL_STEP_PX = 16;
const SHOWN_VALUES = 3;

/** Follows the pointer until it is released; Escape cancels, and Ctrl switches between series and copies. */
export function dragFill(source: CellRange, context: FillContext): void {
  const { sheet } = context;
  const label = h("span", { class: "fill-label", translate: "no" });
  const outline = h("div", { class: "fill-outline", "aria-hidden": "true", hidden: true }, label);
  document.body.append(outline);
  let pointer = { x: 0, y: 0 };
  let isSwitched = false;
  let target: CellRange | null = null;
  const show = () => {
    outline.hidden = !target;
    if (!target) return;
    placeOutline(outline, target, sheet);
    replaceChildren(label, labelOf({ source, target, isSwitched }, sheet));
  };
  const scroll = setInterval(() => scrollAtEdges(sheet.grid.element, pointer) && follow(), 30);
  const follow = () => {
    const place = sheet.grid.positionOf(document.elementFromPoint(pointer.x, pointer.y));
    const last = sheet.rowPages.count - 1;
    if (place) target = targetAt(source, { ...place, row: Math.min(place.row, last) });
    show();
  };
  const ends = new AbortController();
  const { signal } = ends;
  const end = () => {
    ends.abort();
    clearInterval(scroll);
    outline.remove();
  };
  const readKeys = ({ ctrlKey, metaKey }: MouseEvent | KeyboardEvent) => (isSwitched = ctrlKey || metaKey);
  window.addEventListener(
    "pointermove",
    (event) => {
      pointer = { x: event.clientX, y: event.clientY };
      readKeys(event);
      follow();
    },
    { signal },
  );
  window.addEventListener(
    "pointerup",
    (event) => {
      readKeys(event);
      end();
      if (target) void applyFill({ source, target, isSwitched }, context);
    },
    { signal },
  );
  window.addEventListener("pointercancel", end, { signal });
  const handleKey = (event: KeyboardEvent) => {
    readKeys(event);
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      end();
    } else show();
  };
  for (const name of ["keydown", "keyup"] as const) window.addEventListener(name, handleKey, { signal, capture: true });
}

/** The cells between the source and the pointer: below it, or at its right. */
function targetAt(source: CellRange, { row, column }: CellPosition): CellRange | null {
  const down = row - source.bottom;
  const right = column - source.right;
  if (down <= 0 && right <= 0) return null;
  return down >= right
    ? { ...source, top: source.bottom + 1, bottom: row }
    : { ...source, left: source.right + 1, right: column };
}

function scrollAtEdges(element: HTMLElement, { x, y }: { x: number; y: number }): boolean {
  const box = element.getBoundingClientRect();
  const { scrollTop, scrollLeft } = element;
  const step = (from: number, to: number, at: number) =>
    at > to - EDGE_PX ? SCROLL_STEP_PX : at < from + EDGE_PX ? -SCROLL_STEP_PX : 0;
  if (y > 0) element.scrollTop += step(box.top, box.bottom, y);
  if (x > 0) element.scrollLeft += step(box.left, box.right, x);
  return element.scrollTop !== scrollTop || element.scrollLeft !== scrollLeft;
}

/** Cells that are not rendered are beyond the edges of the table. */
function placeOutline(outline: HTMLElement, { top, bottom, left, right }: CellRange, { grid }: GridSheet): void {
  const view = grid.element.getBoundingClientRect();
  const first = grid.elementAt({ row: top, column: left })?.getBoundingClientRect();
  const last = grid.elementAt({ row: bottom, column: right })?.getBoundingClientRect();
  const from = { x: Math.max(view.left, first?.left ?? view.left), y: Math.max(view.top, first?.top ?? view.top) };
  const to = {
    x: Math.min(view.right, last?.right ?? view.right),
    y: Math.min(view.bottom, last?.bottom ?? view.bottom),
  };
  outline.style.left = `${from.x}px`;
  outline.style.top = `${from.y}px`;
  outline.style.width = `${Math.max(0, to.x - from.x)}px`;
  outline.style.height = `${Math.max(0, to.y - from.y)}px`;
}

/** `18 cells: 13, 14, 15 …`, of the first column or row that is filled. */
function labelOf(
  { source, target, isSwitched }: { source: CellRange; target: CellRange; isSwitched: boolean },
  sheet: GridSheet,
): string {
  const count = cellCount(target);
  const isDown = target.top > source.bottom;
  const columns = sheet.shown.slice(source.left, source.right + 1);
  const column = isDown ? columns.find((each) => isFilled(sheet, each)) : columns[0];
  const lastRow = isDown ? source.bottom : source.top;
  const rows = Array.from({ length: lastRow - source.top + 1 }, (_, at) => sheet.rowPages.rowAt(source.top + at));
  const given = isDown
    ? rows.map((row) => (row && column ? cellValue(row, column.id) : null))
    : columns.map((each) => (rows[0] ? cellValue(rows[0], each.id) : null));
  const cells = t("table.fill.cells", { count });
  if (!column || column.displayId !== null || rows.includes(undefined)) return cells;
  const shown = Math.min(SHOWN_VALUES, isDown ? target.bottom - target.top + 1 : target.right - target.left + 1);
  const values = fillValues(given, shown, chooseSeries(given, fillType(column), isSwitched));
  const texts = values.map((value) => column.text({ id: 0, fields: { [column.id]: value } })).join(", ");
  return t(count > shown ? "table.fill.valuesAndMore" : "table.fill.values", { cells, values: texts });
}

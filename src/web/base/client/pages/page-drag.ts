/** Dragging a page of the sidebar: a line shows where it will be, and at which depth. */
import { allowedIndentation, type PageTarget } from "../../views/page-edits.ts";
import { errorContent } from "../api.ts";
import { find, h } from "../dom.ts";
import { showToast } from "../toast.ts";
import { dropPage, listedOrder } from "./page-commands.ts";
import { listedPage, type PageTreeContext } from "./page-context.ts";

/** The width of a level, as in the style sheet. */
const LEVEL_PX = 16;

interface Drop {
  readonly target: PageTarget;
  /** Where the line is, in the window. */
  readonly line: { readonly top: number; readonly left: number; readonly width: number };
}

/** Follows the drag of an entry that has begun. */
export function followPageDrag(item: HTMLElement, context: PageTreeContext): void {
  const page = listedPage(item);
  const line = h("div", { class: "page-drop-line", "aria-hidden": "true" });
  let drop: Drop | null = null;
  const over = (event: DragEvent) => {
    const list = find("#pages");
    drop = list.contains(event.target as Node) ? dropAt(page.ref, event) : null;
    if (!drop) return line.remove();
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "move";
    const box = list.getBoundingClientRect();
    line.style.top = `${drop.line.top - box.top - 1}px`;
    line.style.left = `${drop.line.left - box.left}px`;
    line.style.width = `${drop.line.width}px`;
    if (!line.isConnected) list.append(line);
  };
  const end = (event: DragEvent) => {
    for (const [name, listener] of listeners) removeEventListener(name, listener);
    line.remove();
    item.classList.remove("dragged");
    if (event.type !== "drop" || !drop) return;
    event.preventDefault();
    dropPage(page, drop.target, context).catch((error: unknown) => showToast(errorContent(error), { problem: true }));
  };
  const listeners = [
    ["dragover", over],
    ["drop", end],
  ] as const;
  for (const [name, listener] of listeners) addEventListener(name, listener);
  // At the entry: the window hears nothing of one that was replaced meanwhile.
  item.addEventListener("dragend", end, { once: true });
  item.classList.add("dragged");
}

/** Returns where a page is dropped; null where it cannot be. */
function dropAt(ref: number, { clientX, clientY }: DragEvent): Drop | null {
  const order = listedOrder();
  const items = [...document.querySelectorAll<HTMLElement>("#pages li[data-page]")].filter((each) =>
    each.checkVisibility(),
  );
  const boxes = items.map((each) => find(".entry", each).getBoundingClientRect());
  const found = boxes.findIndex(({ top, height }) => clientY < top + height / 2);
  const at = found < 0 ? items.length : found;
  const next = items[at];
  const before = next ? listedPage(next).ref : null;
  const moved = find(`#page-${ref}`);
  // Into its own pages, it cannot be moved.
  if (next && moved.nextElementSibling?.matches(".below") && moved.nextElementSibling.contains(next)) {
    if (next !== moved.nextElementSibling.querySelector("li")) return null;
  }
  const { lowest, highest } = allowedIndentation(order, ref, before);
  const previous = items.slice(0, at).findLast((each) => each !== moved);
  const first = boxes[0];
  const last = boxes[at - 1];
  if (!first) return null;
  // Below a folded page, its children are passed over.
  const deepest = previous ? Math.min(highest, Number(previous.dataset["indentation"]) + 1) : highest;
  const wanted = Math.floor((clientX - first.left) / LEVEL_PX) - 1;
  const indentation = Math.max(lowest, Math.min(deepest, wanted));
  const left = first.left + indentation * LEVEL_PX;
  return {
    target: { before, indentation },
    line: { top: boxes[at]?.top ?? last?.bottom ?? first.top, left, width: Math.max(0, first.right - left) },
  };
}

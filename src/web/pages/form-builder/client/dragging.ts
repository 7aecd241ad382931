/** Moves boxes by dragging them; menus and keys do the same. */
import {
  type BoxPath,
  type BoxPlace,
  boxAt,
  canContain,
  childrenOf,
  type FormBox,
} from "../../../base/views/form-layout.ts";
import type { BoxCommands } from "./box-commands.ts";
import type { BoxKey, Builder } from "./builder.ts";

const MARKS = ["drop-before", "drop-after", "drop-inside"];

type Side = "before" | "after" | "inside";

export function attachDragging(builder: Builder, element: HTMLElement, commands: BoxCommands): void {
  let dragged: BoxKey | null = null;
  const clear = () => {
    for (const each of element.querySelectorAll(".form-box")) each.classList.remove(...MARKS);
  };
  element.addEventListener("dragstart", (event) => {
    const box = boxAtPoint(event);
    dragged = box?.dataset["key"] ?? null;
    if (!box || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = "move";
    // Some browsers drag only what has data.
    event.dataTransfer.setData("text/plain", "");
    box.classList.add("dragged");
  });
  element.addEventListener("dragover", (event) => {
    const target = dragged === null ? null : targetOf(builder, event, dragged);
    clear();
    if (!target) return;
    event.preventDefault();
    target.box.classList.add(`drop-${target.side}`);
  });
  element.addEventListener("dragleave", clear);
  element.addEventListener("drop", (event) => {
    const [key, target] = [dragged, dragged === null ? null : targetOf(builder, event, dragged)];
    clear();
    if (key === null || !target) return;
    event.preventDefault();
    const beside = builder.keyOf(target.path);
    void commands.moveTo(key, (root) => {
      const path = builder.pathOf(beside);
      return path && placeBeside(root, path, target.side);
    });
  });
  element.addEventListener("dragend", () => {
    dragged = null;
    clear();
    for (const each of element.querySelectorAll(".dragged")) each.classList.remove("dragged");
  });
}

const boxAtPoint = ({ target }: Event): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(".form-box") : null;

interface DropTarget {
  readonly box: HTMLElement;
  readonly path: BoxPath;
  readonly side: Side;
}

/** Returns where a box would go; null where it cannot be. */
function targetOf(builder: Builder, event: DragEvent, dragged: BoxKey): DropTarget | null {
  const { root } = builder;
  const from = builder.pathOf(dragged);
  const moved = from && boxAt(root, from);
  const box = boxAtPoint(event);
  const path = builder.pathOf(box?.dataset["key"] ?? "");
  const there = path && boxAt(root, path);
  if (!moved || !box || !there || from.every((index, at) => path[at] === index)) return null;
  const container = boxAt(root, path.slice(0, -1));
  const isEmpty = there.type === "Placeholder" || (canContain(there, moved) && childrenOf(there).length === 0);
  const side: Side = isEmpty ? "inside" : sideOf(event, box, container?.type === "Columns");
  if (there.type === "Submit" && side === "after") return null;
  const parent = isEmpty && there.type !== "Placeholder" ? there : container;
  return parent && canContain(parent, moved) ? { box, path, side } : null;
}

function sideOf({ clientX, clientY }: DragEvent, box: HTMLElement, isBeside: boolean): Side {
  const { left, top, width, height } = box.getBoundingClientRect();
  if (!isBeside) return clientY < top + height / 2 ? "before" : "after";
  const isLeft = clientX < left + width / 2;
  return isLeft === (getComputedStyle(box).direction === "ltr") ? "before" : "after";
}

function placeBeside(root: FormBox, path: BoxPath, side: Side): BoxPlace {
  const parent = path.slice(0, -1);
  const index = path.at(-1) ?? 0;
  if (side !== "inside") return { parent, index: side === "before" ? index : index + 1 };
  return boxAt(root, path)?.type === "Placeholder" ? { parent, index } : { parent: path, index: 0 };
}

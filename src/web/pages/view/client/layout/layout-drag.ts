/** Drags sections of a page by their handles, to a side of another one. */
import { h } from "../../../../base/client/dom.ts";
import type { LayoutBox } from "../../../../base/views/box-layout.ts";
import { type Direction, placeBeside } from "../../../../base/views/layout-moves.ts";

export interface DragOptions {
  readonly root: () => LayoutBox;
  readonly drop: (root: LayoutBox, leaf: number) => void;
}

/** A press that moves less is a click. */
const START_PX = 6;

export function attachDrag(host: HTMLElement, { root, drop }: DragOptions): void {
  host.addEventListener("pointerdown", (event) => {
    const handle = event.target instanceof Element ? event.target.closest<HTMLElement>(".leaf-editor .handle") : null;
    const leaf = Number(handle?.closest<HTMLElement>(".leaf")?.dataset["section"]);
    if (!handle || event.button !== 0) return;
    const ended = new AbortController();
    const { signal } = ended;
    const zone = h("div", { class: "drop-zone", hidden: true });
    let moved: LayoutBox | null = null;
    const end = (): void => {
      ended.abort();
      zone.remove();
    };
    const follow = (at: PointerEvent): void => {
      if (Math.hypot(at.clientX - event.clientX, at.clientY - event.clientY) < START_PX) return;
      const place = placeAt(host, at);
      moved = place && placeBeside(root(), leaf, { target: place.target, direction: place.direction });
      zone.hidden = !moved;
      if (!place || !moved) return;
      zone.className = `drop-zone ${place.direction}`;
      place.element.append(zone);
    };
    window.addEventListener("pointermove", follow, { signal });
    window.addEventListener("pointercancel", end, { signal });
    window.addEventListener("keydown", ({ key }) => key === "Escape" && end(), { signal, capture: true });
    window.addEventListener(
      "pointerup",
      () => {
        end();
        if (moved) drop(moved, leaf);
      },
      { signal },
    );
  });
}

interface Place {
  readonly element: HTMLElement;
  readonly target: number;
  readonly direction: Direction;
}

/** The nearest side of the section under the pointer. */
function placeAt(host: HTMLElement, { clientX, clientY }: PointerEvent): Place | null {
  const element = [...host.querySelectorAll<HTMLElement>("#view-boxes .leaf")].find((each) => {
    const box = each.getBoundingClientRect();
    return clientX >= box.left && clientX <= box.right && clientY >= box.top && clientY <= box.bottom;
  });
  if (!element) return null;
  const box = element.getBoundingClientRect();
  const distances: [Direction, number][] = [
    ["left", (clientX - box.left) / box.width],
    ["right", (box.right - clientX) / box.width],
    ["up", (clientY - box.top) / box.height],
    ["down", (box.bottom - clientY) / box.height],
  ];
  const [nearest] = distances.toSorted(([, a], [, b]) => a - b);
  return nearest ? { element, target: Number(element.dataset["section"]), direction: nearest[0] } : null;
}

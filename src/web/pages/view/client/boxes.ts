/** The boxes of a page: rows and columns of sections, whose sizes are shares of the room. */
import { h } from "../../../base/client/dom.ts";
import type { LayoutBox } from "../../../base/views/box-layout.ts";

/** Sets the sizes that the server rendered as attributes, in browsers whose styles do not read them. */
export function showSizes(host: HTMLElement): void {
  for (const element of host.querySelectorAll<HTMLElement>("[data-size]")) setSize(element, element.dataset["size"]);
}

const setSize = (element: HTMLElement, size: number | string | undefined): void =>
  element.style.setProperty("flex-grow", String(size ?? 100));

/** Creates the boxes of a layout around its leaves. */
export function boxElement(box: LayoutBox, leafOf: (section: number) => HTMLElement, isRow = false): HTMLElement {
  const element =
    box.leaf === undefined
      ? h(
          "div",
          { class: isRow ? "boxes-row" : "boxes-column" },
          ...(box.children ?? []).map((child) => boxElement(child, leafOf, !isRow)),
        )
      : leafOf(box.leaf);
  element.dataset["size"] = String(box.size);
  setSize(element, box.size);
  return element;
}

/** Runs a change that moves elements, which then are scrolled and focused as before. */
export function keepingPlace(within: HTMLElement, move: () => void): void {
  const { activeElement } = document;
  const scrolled = [...within.querySelectorAll<HTMLElement>(".grid, .cards, .boxes")]
    .concat(within)
    .map((element) => ({ element, top: element.scrollTop, left: element.scrollLeft }))
    .filter(({ top, left }) => top > 0 || left > 0);
  move();
  for (const { element, top, left } of scrolled) element.scrollTo({ top, left, behavior: "instant" });
  if (activeElement instanceof HTMLElement && activeElement !== document.activeElement && activeElement.isConnected) {
    activeElement.focus({ preventScroll: true });
  }
}

import type { CellPosition } from "./selection.ts";

/** Where a cell is inside the scrolled element, and the part of it that is in view. */
export interface OverlayPlace {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly width: number;
  readonly viewTop: number;
  readonly viewBottom: number;
  readonly viewLeft: number;
  readonly viewRight: number;
}

/** An element over a cell, such as its editor, which follows the cell. */
export class Overlay {
  #shown: { readonly element: HTMLElement; readonly place: CellPosition } | undefined;
  /** It grows with its content, such as a message. */
  readonly #size: ResizeObserver;

  constructor(onResize: () => void) {
    this.#size = new ResizeObserver(onResize);
  }

  /** The cell; undefined while nothing is shown. */
  get place(): CellPosition | undefined {
    return this.#shown?.place;
  }

  show(place: CellPosition, element: HTMLElement): void {
    this.#shown = { place, element };
    this.#size.observe(element);
  }

  moveTo(place: CellPosition): void {
    if (this.#shown) this.#shown = { ...this.#shown, place };
  }

  hide(): void {
    this.#size.disconnect();
    this.#shown?.element.remove();
    this.#shown = undefined;
  }

  draw({ top, bottom, left, width, viewTop, viewBottom, viewLeft, viewRight }: OverlayPlace): void {
    if (!this.#shown) return;
    const { element } = this.#shown;
    element.style.minWidth = `${width}px`;
    const { offsetHeight, offsetWidth } = element;
    // Without room below its row it is placed above it, without room to the right it ends at the right edge.
    const isAbove = top + offsetHeight > viewBottom && bottom - offsetHeight > viewTop;
    const at = {
      left: Math.min(left, Math.max(viewLeft, viewRight - offsetWidth)),
      top: isAbove ? bottom - offsetHeight : top,
    };
    element.style.transform = `translate(${at.left}px, ${at.top}px)`;
  }
}

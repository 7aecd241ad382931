import { type CellDescription, describeActiveCell } from "./cell-marks.ts";

/** The one cell in the tab order (roving tabindex). */
export class TabStop {
  #element: HTMLElement | undefined;

  get element(): HTMLElement | undefined {
    return this.#element;
  }

  get hasFocus(): boolean {
    return this.#element !== undefined && this.#element === document.activeElement;
  }

  focus(): void {
    this.#element?.focus({ preventScroll: true });
  }

  /** @param description of a cell, for screen readers; undefined for headers and groups */
  move(to: HTMLElement | undefined, description: CellDescription | null | undefined): void {
    if (to !== this.#element) {
      if (this.#element) {
        this.#element.tabIndex = -1;
        if (this.#element.role === "gridcell") describeActiveCell(this.#element, null);
      }
      this.#element?.classList.remove("active");
      if (to) to.tabIndex = 0;
      this.#element = to;
    }
    to?.classList.add("active");
    if (to && description !== undefined) describeActiveCell(to, description);
  }
}

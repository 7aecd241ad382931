/** The elements of a sheet within its part of the page, which the server renders (`sheet-frame.tsx`). */
import { find } from "../../../base/client/dom.ts";

export interface SheetParts {
  /** Contains all others. */
  readonly root: HTMLElement;
  readonly name: HTMLElement;
  readonly toolbar: HTMLElement;
  /** The buttons of the toolbar. */
  readonly tools: HTMLElement;
  readonly chips: HTMLElement;
  readonly problem: HTMLElement;
  readonly gridHost: HTMLElement;
  readonly count: HTMLElement;
  readonly saving: HTMLElement;
  /** The part of the status line about the active cell. Its id is unique on the page. */
  readonly cellStatus: HTMLElement;
  readonly range: HTMLElement;
}

export function sheetParts(root: HTMLElement): SheetParts {
  const part = (name: string): HTMLElement => find(`[data-part="${name}"]`, root);
  return {
    root,
    name: part("name"),
    toolbar: part("toolbar"),
    tools: part("tools"),
    chips: part("chips"),
    problem: part("problem"),
    gridHost: part("grid"),
    count: part("count"),
    saving: part("saving"),
    cellStatus: part("cell"),
    range: part("range"),
  };
}

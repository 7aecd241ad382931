/** Marks of cells: the selected range, and what screen readers say about the active cell. */
import type { RowElement } from "./row-element.ts";
import { contains, type Selection } from "./selection.ts";

export interface CellDescription {
  /** `Total: 267.00`. */
  readonly label: string;
  /** The id of the element that says what is wrong with the value; null for values without a problem. */
  readonly errorId: string | null;
  /** Whether text can be entered in it. */
  readonly isEditable?: boolean;
}

const HAS_TOUCH_KEYBOARD = matchMedia("(pointer: coarse)");

/** Marks the cells of the selected range, and the edges of the range. A single cell is none. */
export function markRange<Row>(
  rows: ReadonlyMap<number, RowElement<Row>>,
  selection: Selection,
  columnCount: number,
): void {
  const range = selection.range(columnCount);
  const isMore = !selection.isSingle;
  for (const [index, row] of rows) {
    const isRowChosen = selection.hasRow(index);
    row.element.classList.toggle("chosen", isRowChosen);
    for (const [column, cell] of row.cells) {
      const isChosen = isRowChosen || (isMore && contains(range, { row: index, column }));
      const { classList } = cell;
      classList.toggle("chosen", isChosen);
      classList.toggle("range-top", isChosen && (isRowChosen ? !selection.hasRow(index - 1) : index === range.top));
      classList.toggle(
        "range-bottom",
        isChosen && (isRowChosen ? !selection.hasRow(index + 1) : index === range.bottom),
      );
      classList.toggle("range-left", isChosen && column === range.left);
      classList.toggle("range-right", isChosen && column === range.right);
      if (cell.ariaSelected !== String(isChosen)) cell.ariaSelected = String(isChosen);
    }
  }
}

/** Describes the active cell; null removes the description. All other cells have their text only. */
export function describeActiveCell(cell: HTMLElement, description: CellDescription | null): void {
  setAttribute(cell, "aria-label", description?.label ?? null);
  setAttribute(cell, "aria-invalid", description?.errorId ? "true" : null);
  setAttribute(cell, "aria-describedby", description?.errorId ?? null);
  // Only editable elements get text of input methods and dictation. On touch screens, the keyboard would open.
  const isEditable = description?.isEditable === true && !HAS_TOUCH_KEYBOARD.matches;
  setAttribute(cell, "contenteditable", isEditable ? "true" : null);
  setAttribute(cell, "spellcheck", isEditable ? "false" : null);
}

/** Screen readers repeat attributes that are set again. */
function setAttribute(element: HTMLElement, name: string, value: string | null): void {
  if (element.getAttribute(name) === value) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}
